import { containerdUnavailable } from '@rxlet/test-containerd/prerequisites';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ContainerdNode, shell, startContainerdNode, untilStopped } from './test-support/containerd-node.ts';

const unavailable = containerdUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

describe.skipIf(unavailable !== undefined)('a pod with users of its own on containerd', () => {
  let node: ContainerdNode;
  beforeAll(async () => {
    node = await startContainerdNode();
  });
  afterAll(async () => {
    await node?.[Symbol.asyncDispose]();
  });

  it('gets ids of its own, or fails by name on a runtime without user namespaces', async () => {
    await using agent = await node.agent();
    const { runtimeHandlers } = await node.cri.runtime.status({});
    const isSupported = runtimeHandlers.some(({ name, features }) => name === '' && features?.userNamespaces === true);
    await agent.write('web', { hostUsers: false, containers: [{ name: 'app', ...shell(untilStopped()) }] });
    if (isSupported) {
      const { id } = await agent.eventually('it runs', () => agent.running('web', 'app'));
      const { stdout } = await node.cri.runtime.execSync({ containerId: id, cmd: ['cat', '/proc/self/uid_map'] });
      expect(new TextDecoder().decode(stdout)).toMatch(/^\s*0\s+[1-9]\d*\s+65536$/m);
      return;
    }
    const message = await agent.eventually('it fails', async () =>
      (await agent.eventsOf('web')).map((event) => event.message).find((text) => text?.includes('hostUsers')),
    );
    expect(message).toContain("can't set `spec.hostUsers: false`, runtime does not support user namespaces");
    expect(await agent.containers('web')).toEqual([]);
  });
});
