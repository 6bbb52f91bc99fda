import type { Pod } from '@rxlet/kube-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseTargets } from '../resources/kinds.ts';
import {
  type FakeAgent,
  type RecordingTerminal,
  recordingTerminal,
  runningPod,
  startFakeAgent,
} from './test-support.ts';
import { waitForPods, type WaitOptions } from './wait.ts';

const withReady = (name: string, status: 'False' | 'True'): Pod => {
  const pod = runningPod(name);
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { app: 'shop' } },
    status: { ...pod.status, conditions: [{ type: 'Ready', status }] },
  };
};

describe('waitForPods', () => {
  let agent: FakeAgent;
  let terminal: RecordingTerminal;
  beforeEach(async () => {
    agent = await startFakeAgent();
    terminal = recordingTerminal();
  });
  afterEach(() => agent[Symbol.asyncDispose]());
  const wait = (words: string, goal: string, more: Partial<WaitOptions> = {}): Promise<void> =>
    waitForPods(agent.connection, terminal, agent.clock, {
      targets: parseTargets(words.split(' ')),
      namespace: 'default',
      timeout: '30s',
      goal,
      ...more,
    });

  /** Resolves when the watch has begun: the server answers in the order of requests. */
  const begun = async (): Promise<void> => {
    for (let count = 0; count < 3; count += 1) await agent.connection.getJson('/pods');
  };

  it('ends at once when the condition is met', async () => {
    agent.put(withReady('web', 'True'));
    await wait('pod/web', 'condition=Ready');
    await wait('pod web', 'condition=ready=true');
    await wait('pod web', 'jsonpath={.status.phase}=Running');
    await wait('pod web', 'jsonpath={.status.podIP}');
    expect(terminal.printed).toEqual(Array.from({ length: 4 }, () => 'pod/web-node1 condition met'));
  });

  it('waits until the condition is met by every pod that is chosen', async () => {
    agent.put(withReady('web', 'False'), withReady('db', 'False'), runningPod('other'));
    const done = wait('pods', 'condition=Ready', { selector: 'app=shop' });
    await begun();
    agent.put(withReady('db', 'True'));
    await terminal.until(1);
    agent.put(withReady('web', 'True'));
    await done;
    expect(terminal.printed).toEqual(['pod/db-node1 condition met', 'pod/web-node1 condition met']);
  });

  it('waits for the end of pods, and takes those that are gone as ended', async () => {
    await wait('pod/gone', 'delete');
    agent.put(withReady('web', 'True'));
    const done = wait('pod/web pod/gone', 'delete');
    await begun();
    agent.remove(withReady('web', 'True'));
    await done;
    expect(terminal.printed).toEqual(['pod/web-node1 deleted']);
  });

  it('fails when the time is over, naming the pods', async () => {
    agent.put(withReady('web', 'False'));
    await expect(wait('pod/web', 'condition=Ready', { timeout: '0s' })).rejects.toThrow(
      'timed out waiting for the condition on pod/web-node1',
    );
    const done = wait('pod/web', 'condition=Ready');
    const failed = expect(done).rejects.toThrow('timed out waiting');
    await begun();
    await agent.clock.advance(30_000);
    await failed;
  });

  it('waits for a week with a negative time, as kubectl does', async () => {
    agent.put(withReady('web', 'False'));
    const done = wait('pod/web', 'condition=Ready', { timeout: '-1s' });
    await begun();
    await agent.clock.advance(24 * 3_600_000);
    agent.put(withReady('web', 'True'));
    await done;
    expect(terminal.printed).toEqual(['pod/web-node1 condition met']);
  });

  it.each<[words: string, goal: string, timeout: string, problem: string]>([
    ['pod/web', 'ready', '1s', 'unrecognized condition "ready"'],
    ['pod/web', 'condition=Ready', 'soon', 'invalid --timeout "soon"'],
    ['node/node1', 'condition=Ready', '1s', 'only pods can be waited for'],
    ['pod/nope', 'condition=Ready', '1s', 'there is no pod "nope"'],
    ['pods', 'condition=Ready', '1s', 'no matching pods found'],
  ])('rejects %s with --for=%s --timeout=%s', async (words, goal, timeout, problem) => {
    await expect(wait(words, goal, { timeout })).rejects.toThrow(problem);
  });
});
