import assert from 'node:assert/strict';
import type { Clock } from '@rxlet/component-base';
import type { PodProvider } from '../pod-provider.ts';
import type { ProviderPod, ProviderPodChange } from '../provider-pod.ts';

/** Time by which the clock of a provider may be ahead. */
const SKEW_MS = 300_000;

/** The changes of a provider since they are observed. Each is checked for what no agent can use. */
export interface ObservedPods extends AsyncDisposable {
  /** Changes so far. Snapshots count as the changes that they contain, and as removals of missing pods. */
  readonly changes: readonly Exclude<ProviderPodChange, { type: 'snapshot' }>[];
  get(uid: string): ProviderPod | undefined;
  /** Waits until a condition holds. Throws when it does not within 20 seconds, and when the provider reported something impossible. */
  until(what: string, isTrue: () => boolean): Promise<void>;
  /** Whether the stream has ended or failed. */
  hasEnded(): boolean;
}

/** Observes the pods of a provider, from its first snapshot on. */
export async function observePods(
  provider: Pick<PodProvider, 'watch'>,
  { clock, pass }: { readonly clock: Pick<Clock, 'now'>; pass(ms: number): Promise<void> },
): Promise<ObservedPods> {
  const controller = new AbortController();
  const pods = new Map<string, ProviderPod>();
  const changes: Exclude<ProviderPodChange, { type: 'snapshot' }>[] = [];
  let isListed = false;
  let hasEnded = false;
  let problem: Error | undefined;

  const record = (change: Exclude<ProviderPodChange, { type: 'snapshot' }>): void => {
    if (change.type === 'changed') {
      checkReport(change.pod, pods.get(change.pod.uid), clock.now());
      pods.set(change.pod.uid, change.pod);
    } else {
      pods.delete(change.uid);
    }
    changes.push(change);
  };
  const follow = async (): Promise<void> => {
    for await (const change of provider.watch(controller.signal)) {
      if (change.type === 'snapshot') {
        isListed = true;
        const uids = new Set(change.pods.map(({ uid }) => uid));
        for (const uid of [...pods.keys()]) if (!uids.has(uid)) record({ type: 'removed', uid });
        for (const pod of change.pods) record({ type: 'changed', pod });
      } else {
        assert(isListed, 'the first change of a stream must be a snapshot');
        record(change);
      }
    }
  };
  const following = follow()
    .catch((error: unknown) => {
      if (error instanceof assert.AssertionError) problem = error;
    })
    .finally(() => (hasEnded = true));
  const observed: ObservedPods = {
    changes,
    get: (uid) => pods.get(uid),
    hasEnded: () => hasEnded,
    async until(what, isTrue) {
      for (let waitedMs = 0; waitedMs < 20_000; waitedMs += 50) {
        if (problem !== undefined) throw problem;
        if (isTrue()) return;
        await pass(50);
      }
      throw new assert.AssertionError({ message: `waited 20 s for ${what}` });
    },
    async [Symbol.asyncDispose]() {
      controller.abort(new Error('the observation has ended'));
      let isDone = false;
      void following.then(() => (isDone = true));
      for (let waitedMs = 0; waitedMs < 5_000 && !isDone; waitedMs += 50) await pass(50);
      assert(isDone, 'the iteration of the pods must end soon after its signal aborts');
    },
  };
  await observed.until('the first snapshot', () => isListed || hasEnded);
  if (problem !== undefined) throw problem;
  assert(isListed, 'the stream of pods ended before its first snapshot');
  return observed;
}

/** Checks that an agent can use a report: the API server rejects impossible times, and counts of restarts never decrease. */
function checkReport(pod: ProviderPod, before: ProviderPod | undefined, nowMs: number): void {
  assert(pod.uid !== '' && pod.name !== '' && pod.namespace !== '', 'a pod must have UID, name and namespace');
  const names = pod.containers.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length, `containers are reported twice: ${names.join(', ')}`);
  for (const container of pod.containers) {
    const what = `container "${container.name}"`;
    const { restartCount = 0 } = container;
    assert(
      Number.isInteger(restartCount) && restartCount >= 0,
      `${what} has the restart count ${String(restartCount)}`,
    );
    const earlier = before?.containers.find(({ name }) => name === container.name);
    assert(restartCount >= (earlier?.restartCount ?? 0), `the restart count of ${what} has decreased`);
    if (container.state === 'waiting') continue;
    const { startedAtMs } = container;
    if (startedAtMs !== undefined) assert(isTime(startedAtMs, nowMs), `${what} started at ${String(startedAtMs)}`);
    if (container.state === 'running') continue;
    const { finishedAtMs, exitCode } = container;
    assert(Number.isInteger(exitCode), `${what} has the exit code ${String(exitCode)}`);
    if (finishedAtMs === undefined) continue;
    assert(isTime(finishedAtMs, nowMs), `${what} ended at ${String(finishedAtMs)}`);
    assert(finishedAtMs >= (startedAtMs ?? 0), `${what} ended before it started`);
  }
}

function isTime(ms: number, nowMs: number): boolean {
  return Number.isFinite(ms) && ms > 0 && ms <= nowMs + SKEW_MS;
}
