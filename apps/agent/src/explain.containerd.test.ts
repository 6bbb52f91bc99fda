import { containerdUnavailable } from '@rxlet/test-containerd/prerequisites';
import { describe, expect, it } from 'vitest';
import { shell, startContainerdNode } from './test-support/containerd-node.ts';

const unavailable = containerdUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

describe.skipIf(unavailable !== undefined)('rxlet explain on containerd', () => {
  it('says why pods do not run, with the errors of the runtime', async () => {
    await using node = await startContainerdNode();
    await using agent = await node.agent();
    await agent.write('web', { containers: [{ name: 'main', ...shell('sleep 1000') }] });
    await agent.write('crash', {
      containers: [{ name: 'main', ...shell('exit 3') }],
      terminationGracePeriodSeconds: 1,
    });
    // No registry listens at this port.
    await agent.write('missing', { containers: [{ name: 'main', image: '127.0.0.1:9/none:1' }] });
    const explain = async (name: string): Promise<string> =>
      (await agent.process.command('explain', `${name}-node1`)).stdout;
    await agent.eventually('the pod runs', () => agent.running('web', 'main'));
    await expect.poll(() => explain('web'), { timeout: 20_000 }).toContain('runs; its container is ready');
    await expect
      .poll(() => explain('missing'), { timeout: 30_000 })
      .toMatch(
        /could not pull image "127\.0\.0\.1:9\/none:1" for container "main"[^]*Last error: Unknown: [^]*connection refused/,
      );
    await expect
      .poll(() => explain('crash'), { timeout: 60_000 })
      .toMatch(/restarts container "main", which keeps exiting[^]*exited with code 3/);
    const all = (await agent.process.command('explain')).stdout;
    expect(all).toMatch(/crash-node1/);
    expect(all).toMatch(/missing-node1/);
    expect(all).not.toMatch(/web-node1/);
  });
});
