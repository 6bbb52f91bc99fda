import { sleep, systemClock } from '@rxlet/component-base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentUnderTest, type TestNode, shell } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

/** A web server whose answers follow from which files there are: `/ready`, `/alive`. */
const SERVER = [
  "trap 'exit 0' TERM",
  'mkdir /www',
  'echo yes > /www/alive',
  'httpd -p 8080 -h /www',
  'sleep 1',
  'echo yes > /www/ready',
  'while :; do sleep 0.1; done',
].join('; ');

const http = (path: string, more: object = {}): object => ({
  httpGet: { path, port: 'web' },
  periodSeconds: 1,
  failureThreshold: 2,
  ...more,
});

describeOnEachRuntime('probes', {}, (startNode) => {
  let node: TestNode;
  beforeAll(async () => {
    node = await startNode();
  });
  afterAll(async () => {
    await node[Symbol.asyncDispose]();
  });

  const ready = async (agent: AgentUnderTest): Promise<string | undefined> =>
    (await agent.pod('web'))?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  const inContainer = async (agent: AgentUnderTest, command: string): Promise<void> => {
    const containerId = (await agent.running('web', 'server'))!.id;
    await node.cri.runtime.execSync({ containerId, cmd: ['sh', '-c', command], timeout: 10n });
  };

  it('decide on readiness, restart what does not live, and outlast the agent', { timeout: 90_000 }, async () => {
    await using agent = await node.agent();
    await agent.write('web', {
      containers: [
        {
          name: 'server',
          ...shell(SERVER),
          ports: [{ name: 'web', containerPort: 8080 }],
          startupProbe: http('/alive', { failureThreshold: 30 }),
          readinessProbe: http('/ready'),
          livenessProbe: http('/alive'),
        },
      ],
    });
    await agent.eventually('it has started', async () => (await agent.status('web', 'server'))?.started === true);
    await agent.eventually('it is ready', async () => (await ready(agent)) === 'True');

    // The agent is killed, not in the same moment (what it reports is on disk a little later): a ready pod does not turn unready.
    await sleep(systemClock, 500);
    await agent.end('SIGKILL');
    agent.startAgain();
    const seen = new Set<string | undefined>();
    for (let looks = 0; looks < 30; looks += 1) {
      await sleep(systemClock, 100);
      await agent.eventually(
        'the agent shows the pod',
        async () => (await agent.pod('web'))?.status?.containerStatuses,
      );
      seen.add(await ready(agent));
    }
    expect([...seen]).toEqual(['True']);

    await inContainer(agent, 'rm /www/ready');
    await agent.eventually('it is not ready', async () => (await ready(agent)) === 'False');
    expect((await agent.status('web', 'server'))?.restartCount).toBe(0);

    await inContainer(agent, 'rm /www/alive');
    await agent.eventually('it is restarted', async () => (await agent.status('web', 'server'))?.restartCount === 1);
    await agent.eventually('it is ready again', async () => (await ready(agent)) === 'True');
    const events = (await agent.eventsOf('web')).map(({ reason, message }) => `${String(reason)}: ${String(message)}`);
    expect(events).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 404/),
        expect.stringMatching(/^Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 404/),
        'Killing: Container server failed liveness probe, will be restarted',
      ]),
    );
  });
});
