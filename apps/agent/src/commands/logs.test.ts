import { EndpointError } from '@rxlet/agent-api/http';
import type { Pod } from '@rxlet/kube-api';
import type { LogQuery, OpenLog } from '@rxlet/container-logs';
import { onAbort } from '@rxlet/component-base';
import { afterEach, describe, expect, it } from 'vitest';
import { type LogsOptions, printLogs } from './logs.ts';
import {
  type FakeAgent,
  type RecordingTerminal,
  recordingTerminal,
  runningPod,
  startFakeAgent,
} from './test-support.ts';

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    onAbort(signal, () => resolve());
  });

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
        const name = `I am ${query.containerName}`;
        if (query.limitBytes !== undefined) {
          yield new TextEncoder().encode(name.slice(0, query.limitBytes));
          return;
        }
        yield new TextEncoder().encode(`${name}, ungrü`);
        yield new TextEncoder().encode('ßt\n');
        if (query.follow) await untilAborted(signal);
      })();
    };
    agent = await startFakeAgent({ openLog });
    agent.put(pod);
    const terminal = recordingTerminal();
    const given = { pod: 'web', namespace: 'default', follow: false, previous: false, timestamps: false };
    return {
      terminal,
      done: printLogs(agent.connection, terminal, { ...given, allContainers: false, prefix: false, ...options }),
    };
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
    expect(terminal.errors).toEqual(['Defaulted container "main" out of: main, helper, setup (init)']);
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
    await expect(done).rejects.toThrow('container mian is not valid for pod web-node1 out of: main, helper');
  });

  it('prints the logs of all containers, each line with its origin', async () => {
    const pod = runningPod('web', 'default', ['main', 'helper']);
    const withInit = { ...pod, spec: { ...pod.spec!, initContainers: [{ name: 'setup' }] } };
    const { terminal, done } = await run(withInit, { allContainers: true, prefix: true });
    await done;
    expect(terminal.text().split('\n')).toEqual([
      '[pod/web-node1/setup] I am setup, ungrüßt',
      '[pod/web-node1/main] I am main, ungrüßt',
      '[pod/web-node1/helper] I am helper, ungrüßt',
      '',
    ]);
    expect(terminal.errors).toEqual([]);
    const named = await run(withInit, { allContainers: true, container: 'main' });
    await expect(named.done).rejects.toThrow('--all-containers=true should not be specified with container name');
  });

  it('follows all containers at once', async () => {
    const { terminal, done } = await run(runningPod('web', 'default', ['main', 'helper']), {
      allContainers: true,
      follow: true,
    });
    await terminal.until(2);
    terminal.interrupt();
    await done;
    expect(terminal.text().split('\n').toSorted()).toEqual(['', 'I am helper, ungrüßt', 'I am main, ungrüßt']);
  });

  it('ends the last line of a log that is cut', async () => {
    const { terminal, done } = await run(runningPod('web'), { prefix: true, limitBytes: 8 });
    await done;
    expect(terminal.text()).toBe('[pod/web-node1/main] I am mai\n');
    expect(queries).toMatchObject([{ limitBytes: 8 }]);
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

  it('asks for the lines from a time on, and rejects what is none', async () => {
    const { done } = await run(runningPod('web'), { sinceTime: '2026-01-31T08:00:00+01:00' });
    await done;
    expect(queries).toMatchObject([{ sinceTime: '2026-01-31T08:00:00+01:00' }]);
    for (const sinceTime of ['yesterday', '2026-01-31', '2026-13-31T08:00:00Z']) {
      const rejected = await run(runningPod('web'), { sinceTime });
      await expect(rejected.done).rejects.toThrow(`invalid --since-time "${sinceTime}"`);
    }
    const both = await run(runningPod('web'), { since: '5m', sinceTime: '2026-01-31T08:00:00Z' });
    await expect(both.done).rejects.toThrow('at most one of --since and --since-time may be used');
    const nothing = await run(runningPod('web'), { limitBytes: 0 });
    await expect(nothing.done).rejects.toThrow('invalid --limit-bytes 0');
  });

  it('ends all followed logs when one of them fails', async () => {
    let isFollowed = true;
    const openLog: OpenLog = async ({ containerName }, signal) => {
      if (containerName === 'broken') throw new EndpointError(400, 'container "broken" is waiting to start');
      return (async function* () {
        yield new TextEncoder().encode('hello\n');
        await untilAborted(signal);
        isFollowed = false;
      })();
    };
    agent = await startFakeAgent({ openLog });
    agent.put(runningPod('web', 'default', ['main', 'broken']));
    const given = { pod: 'web', namespace: 'default', follow: true, previous: false, timestamps: false };
    const done = printLogs(agent.connection, recordingTerminal(), { ...given, allContainers: true, prefix: false });
    await expect(done).rejects.toThrow('waiting to start');
    await expect.poll(() => isFollowed).toBe(false);
  });
});
