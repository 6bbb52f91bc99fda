import { EndpointError } from '@rxlet/agent-api';
import type { Pod } from '@rxlet/kube-api';
import type { LogQuery, OpenLog } from '@rxlet/container-logs';
import { afterEach, describe, expect, it } from 'vitest';
import { type LogsOptions, printLogs } from './logs.ts';
import {
  type FakeAgent,
  type RecordingTerminal,
  recordingTerminal,
  runningPod,
  startFakeAgent,
} from './test-support.ts';

describe('printLogs', () => {
  let agent: FakeAgent | undefined;
  afterEach(() => agent?.[Symbol.asyncDispose]());

  const queries: LogQuery[] = [];
  /** Logs of one pod whose every container says its name, and then, when followed, nothing more for ever. */
  async function run(
    pod: Pod,
    options: Partial<LogsOptions> = {},
  ): Promise<{ terminal: RecordingTerminal; done: Promise<void> }> {
    queries.length = 0;
    const openLog: OpenLog = async (query, signal) => {
      queries.push(query);
      if (query.previous)
        throw new EndpointError(400, `previous terminated container "${query.containerName}" not found`);
      return (async function* () {
        yield new TextEncoder().encode(`I am ${query.containerName}, ungrü`);
        yield new TextEncoder().encode('ßt\n');
        if (query.follow) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      })();
    };
    agent = await startFakeAgent({ openLog });
    agent.put(pod);
    const terminal = recordingTerminal();
    const given = { pod: 'web', namespace: 'default', follow: false, previous: false, timestamps: false, ...options };
    return { terminal, done: printLogs(agent.connection, terminal, given) };
  }

  it('prints the log of the only container', async () => {
    const { terminal, done } = await run(runningPod('web'));
    await done;
    expect(terminal.text()).toBe('I am main, ungrüßt\n');
    expect(terminal.errors).toEqual([]);
    expect(queries).toEqual([
      {
        namespace: 'default',
        podName: 'web-node1',
        containerName: 'main',
        follow: false,
        previous: false,
        timestamps: false,
      },
    ]);
  });

  it('passes its options on', async () => {
    const { done } = await run(runningPod('web', 'shop', ['a', 'b']), {
      namespace: 'shop',
      container: 'b',
      timestamps: true,
      tail: 0,
    });
    await done;
    expect(queries).toMatchObject([{ namespace: 'shop', containerName: 'b', timestamps: true, tailLines: 0 }]);
  });

  it('follows until it is interrupted', async () => {
    const { terminal, done } = await run(runningPod('web'), { follow: true });
    await terminal.until(1);
    terminal.interrupt();
    await done;
    expect(terminal.text()).toMatch(/^I am main/);
  });

  it('takes the first of several containers, and reports it', async () => {
    const pod = runningPod('web', 'default', ['main', 'helper']);
    const { terminal, done } = await run({ ...pod, spec: { ...pod.spec!, initContainers: [{ name: 'setup' }] } });
    await done;
    expect(terminal.text()).toMatch(/^I am main/);
    expect(terminal.errors).toEqual(['Defaulted container "main" out of: main, helper, setup (init) (-c chooses)']);
  });

  it('takes the one that the pod names as its default', async () => {
    const pod = runningPod('web', 'default', ['main', 'helper']);
    const annotations = { 'kubectl.kubernetes.io/default-container': 'helper' };
    const { terminal, done } = await run({ ...pod, metadata: { ...pod.metadata, annotations } });
    await done;
    expect(terminal.text()).toMatch(/^I am helper/);
    expect(terminal.errors).toEqual([]);
  });

  it('reports which containers there are', async () => {
    const { done } = await run(runningPod('web', 'default', ['main', 'helper']), { container: 'mian' });
    await expect(done).rejects.toThrow('pod web-node1 has no container "mian"; it has: main, helper');
  });

  it('passes on why there is no log', async () => {
    const { done } = await run(runningPod('web'), { previous: true });
    await expect(done).rejects.toThrow('previous terminated container "main" not found');
  });

  it('asks for the lines younger than a duration, and rejects one that it cannot ask for', async () => {
    const { done } = await run(runningPod('web'), { since: '1m30s' });
    await done;
    expect(queries).toMatchObject([{ sinceMs: agent!.clock.now() - 90_000 }]);
    for (const since of ['5', '10ms', '-1m', '']) {
      const rejected = await run(runningPod('web'), { since });
      await expect(rejected.done).rejects.toThrow(`invalid --since "${since}"`);
    }
  });
});
