import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentUnderTest, type TestNode, shell, untilStopped } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

/** Returns a pod that requests these thousandths of a CPU. */
const specOf = (millis: number, script: string): object => ({
  terminationGracePeriodSeconds: 1,
  containers: [{ name: 'app', ...shell(script), resources: { requests: { cpu: `${String(millis)}m` } } }],
});

describeOnEachRuntime('admission after a restart of the agent', {}, (startNode) => {
  let node: TestNode;
  let agent: AgentUnderTest | undefined;
  /** Whether the server of the manifest fails. */
  let isAway = false;
  let served: object = {};
  const server = createServer((_request, response) => {
    if (isAway) response.writeHead(503).end();
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(served));
  });
  beforeAll(async () => {
    node = await startNode();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    served = { apiVersion: 'v1', kind: 'PodList', items: [] };
    await agent?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
    server.close();
  });

  it('keeps a running pod whose source is away while another one takes its place', async () => {
    const spec = specOf(cpus().length * 1000 - 100, 'sleep 4; exit 1');
    served = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'remote' }, spec };
    const { port } = server.address() as AddressInfo;
    agent = await node.agent({ staticPodURL: `http://127.0.0.1:${String(port)}/`, httpCheckFrequency: '1s' });
    const { eventually } = agent;
    const first = await eventually('the remote pod runs', () => agent!.running('remote', 'app'));
    await agent.end('SIGKILL');
    isAway = true;
    await agent.write('local', specOf(500, untilStopped()));
    agent.startAgain();
    await eventually('the local pod runs', () => agent!.running('local', 'app'));
    isAway = false;
    // It exits by itself, and an agent that has taken it over starts it again.
    await eventually('the remote pod runs again', async () => {
      const running = await agent!.running('remote', 'app');
      return running !== undefined && running.id !== first.id;
    });
    expect((await agent.pod('remote'))?.status?.phase).toBe('Running');
    expect((await agent.eventsOf('remote')).map(({ reason }) => reason)).not.toContain('FailedSync');
    expect(await agent.running('local', 'app')).toBeDefined();
  });
});
