import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock } from '@rxlet/component-base';
import { eventually } from '@rxlet/test-containerd/eventually';
import { expect, it } from 'vitest';
import { makeAgentFolders, startAgent } from './test-support/agent-process.ts';
import { startFakeRuntime } from './test-support/fake-runtime-process.ts';

/** Makes the calls of these RPCs hang. */
async function hang(endpoint: string, ...rpcs: readonly string[]): Promise<void> {
  const path = endpoint.replace('unix://', '');
  const session = connectHttp2('http://localhost', { createConnection: () => connect(path) });
  for (const rpc of rpcs) {
    const request = session.request({
      ...{ ':method': 'POST', ':path': '/rxlet.fake.v1.FakeControl/SetFailpoint' },
      'content-type': 'application/json',
    });
    request.end(JSON.stringify({ rpc, failpoint: 'hang' })).resume();
    const [{ ':status': status }] = (await once(request, 'response')) as [{ ':status': number }];
    expect(status).toBe(200);
    await once(request, 'end');
  }
  session.close();
}

it('an agent ends at once on SIGTERM, also while it starts on a runtime that hangs', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rxlet-hung-'));
  try {
    await using runtime = await startFakeRuntime(folder);
    const reads = ['ListPodSandbox', 'ListContainers', 'ListImages', 'StreamPodSandboxes', 'StreamContainers'];
    await hang(runtime.endpoint, ...reads, 'StreamImages', 'Status', 'ImageFsInfo', 'RuntimeConfig');
    const folders = await makeAgentFolders(folder, { failSwapOn: false, makeIPTablesUtilChains: false });
    await using agent = startAgent(folders, '--container-runtime-endpoint', runtime.endpoint);
    await eventually(
      'the agent has the first answer',
      async () => agent.output().includes('connected to the container runtime'),
      agent.output,
    );
    await sleep(systemClock, 500);
    expect(agent.output()).not.toContain('rxlet is running');
    const sentMs = systemClock.monotonicNow();
    expect(await agent.end('SIGTERM')).toBe(0);
    expect(systemClock.monotonicNow() - sentMs).toBeLessThan(10_000);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
