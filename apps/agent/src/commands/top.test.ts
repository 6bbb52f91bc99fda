import { EndpointError, type HttpEndpoint } from '@rxlet/agent-api/http';
import { afterEach, expect, it } from 'vitest';
import { runCommand } from './run.ts';
import { printStats } from './stats.ts';
import { type FakeAgent, recordingTerminal, runningPod, startFakeAgent } from './test-support.ts';
import { topNode, topPods } from './top.ts';

const usage = (millis: number, mebibytes: number): object => ({
  cpu: { usageNanoCores: millis * 1_000_000 - 500_000 },
  memory: { workingSetBytes: mebibytes * 1024 * 1024 + 5 },
});
const pod = (name: string, millis: number, mebibytes: number): object => ({
  podRef: { name, namespace: 'default' },
  ...usage(millis, mebibytes),
  containers: [{ name: 'main', ...usage(millis, mebibytes) }],
});
const summary = {
  node: {
    nodeName: 'node1',
    ...usage(250, 100),
    memory: { workingSetBytes: 100 * 2 ** 20, availableBytes: 300 * 2 ** 20 },
  },
  pods: [pod('web-node1', 3, 40), pod('db-node1', 2, 900)],
};
const statsEndpoint: HttpEndpoint = {
  path: 'stats/summary',
  handle: () => ({ contentType: 'application/json', body: JSON.stringify(summary) }),
};

let agent: FakeAgent | undefined;
afterEach(() => agent?.[Symbol.asyncDispose]());

it('shows the use of pods, by name or the largest first', async () => {
  agent = await startFakeAgent({ endpoints: [statsEndpoint] });
  const terminal = recordingTerminal();
  const options = { containers: false, noHeaders: false };
  await topPods(agent.connection, terminal, options);
  await topPods(agent.connection, terminal, { ...options, noHeaders: true, sortBy: 'cpu', containers: true });
  await topPods(agent.connection, terminal, { ...options, noHeaders: true, name: 'db' });
  expect(terminal.printed).toEqual([
    'NAMESPACE   NAME        CPU(cores)   MEMORY(bytes)',
    'default     db-node1    2m           900Mi',
    'default     web-node1   3m           40Mi',
    'default     web-node1   main   3m           40Mi',
    'default     db-node1    main   2m           900Mi',
    'default     db-node1   2m           900Mi',
  ]);
  await expect(topPods(agent.connection, terminal, { ...options, name: 'nope' })).rejects.toThrow('"nope"');
});

it('shows no other pod whose name begins with the given one', async () => {
  const pods = [pod('web-node1', 3, 40), pod('web-db-node1', 2, 900), pod('web-db', 1, 10)];
  const body = JSON.stringify({ ...summary, pods });
  agent = await startFakeAgent({
    endpoints: [{ ...statsEndpoint, handle: () => ({ contentType: 'application/json', body }) }],
  });
  const terminal = recordingTerminal();
  const options = { containers: false, noHeaders: true };
  await topPods(agent.connection, terminal, { ...options, name: 'web' });
  await topPods(agent.connection, terminal, { ...options, name: 'web-db-node1' });
  expect(terminal.printed).toEqual([
    'default     web-node1   3m           40Mi',
    'default     web-db-node1   2m           900Mi',
  ]);
});

it('shows the use of the node, and all statistics', async () => {
  agent = await startFakeAgent({ endpoints: [statsEndpoint] });
  const terminal = recordingTerminal();
  await topNode(agent.connection, terminal, true);
  expect(terminal.printed).toEqual(['node1   250m         100Mi           25%']);
  await printStats(agent.connection, terminal, 'summary');
  expect(JSON.parse(terminal.printed.slice(1).join('\n'))).toEqual(summary);
});

it('runs a command, and fails with its exit code', async () => {
  const runEndpoint: HttpEndpoint = {
    path: 'run',
    methods: ['POST'],
    maxSegments: 3,
    handle({ parameters }) {
      const cmd = parameters.get('cmd') ?? '';
      if (cmd === 'false') throw new EndpointError(500, "command 'false' exited with 1: ");
      return { body: `ran ${cmd}\n` };
    },
  };
  agent = await startFakeAgent({ endpoints: [runEndpoint] });
  agent.put(runningPod('web'));
  const terminal = recordingTerminal();
  const options = { pod: 'web', namespace: 'default' };
  await runCommand(agent.connection, terminal, { ...options, command: ['echo', 'x'] });
  expect(terminal.text()).toBe('ran echo x\n');
  await expect(runCommand(agent.connection, terminal, { ...options, command: ['false'] })).rejects.toMatchObject({
    code: 1,
    message: "command 'false' exited with 1:",
  });
  await expect(runCommand(agent.connection, terminal, { ...options, command: ['echo', 'a b'] })).rejects.toThrow(
    'blanks',
  );
});
