import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, discardLogs, type FakeRuntime } from '@rxlet/fake-cri';
import { afterEach, describe, expect, it } from 'vitest';
import type { ContainerHint, HintSource } from './container-hints.ts';
import { createPleg, type Pleg } from './create-pleg.ts';
import { runContainer, runPod } from './test-support/run-pod.ts';

const disposables: AsyncDisposable[] = [];
afterEach(async () => {
  for (const disposable of disposables.splice(0).reverse()) await disposable[Symbol.asyncDispose]();
});

interface Bench {
  readonly clock: VirtualClock;
  readonly fake: FakeRuntime;
  readonly pleg: Pleg;
  readonly uids: readonly string[];
  hint(hint: ContainerHint): void;
  /** Number of list calls since the last call of this function. */
  listCalls(): number;
}

/** Creates a node with that many pods and complete hints, after three minutes without changes. */
async function quietNode(podCount: number): Promise<Bench> {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(1), logs: discardLogs });
  let deliver: ((hint: ContainerHint) => void) | undefined;
  const hints: HintSource = {
    name: 'manual',
    isComplete: true,
    async *open(signal) {
      while (!signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<ContainerHint | undefined>();
        signal.addEventListener('abort', () => resolve(undefined), { once: true });
        const earlier: ContainerHint[] = [];
        deliver = (hint) => {
          earlier.push(hint);
          resolve(undefined);
        };
        await promise;
        yield* earlier;
      }
    },
  };
  const pleg = createPleg({ runtime: fake.runtime, hints: [hints], clock }, { runtimeName: 'fake' });
  disposables.push(fake, pleg);
  const uids = Array.from({ length: podCount }, (_, index) => `p${String(index)}`);
  for (const uid of uids) await runPod(fake, uid);
  pleg.start();
  await clock.advance(180_000);
  let before = 0;
  const listCalls = (): number => {
    const calls = (fake.calls.get('listPodSandbox') ?? 0) + (fake.calls.get('listContainers') ?? 0);
    const since = calls - before;
    before = calls;
    return since;
  };
  listCalls();
  return { clock, fake, pleg, uids, hint: (hint) => deliver?.(hint), listCalls };
}

/** Demands a status that is newer than now of each pod every `everyMs`, spread over that time. @returns how many demands were answered */
async function demandEach({ clock, pleg, uids }: Bench, everyMs: number, rounds: number): Promise<number> {
  let answered = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const uid of uids) {
      void pleg.cache.getNewerThan(uid, pleg.cache.mark()).then(() => (answered += 1));
      await clock.advance(everyMs / uids.length);
    }
  }
  await clock.advance(1_000);
  return answered;
}

describe('demand for newer statuses', () => {
  it('costs at most 40 list calls a second, with 110 pods that each demand one a second', async () => {
    const node = await quietNode(110);
    expect(await demandEach(node, 1_000, 10)).toBe(1_100);
    expect(node.listCalls() / 11).toBeLessThanOrEqual(40);
  });

  it('is answered by one listing for all demands at the same time', async () => {
    const node = await quietNode(110);
    const { clock, pleg, uids } = node;
    const mark = pleg.cache.mark();
    const statuses = Promise.all(uids.map((uid) => pleg.cache.getNewerThan(uid, mark)));
    await clock.advance(0);
    expect(await statuses).toHaveLength(110);
    expect(node.listCalls()).toBe(2);
  });

  it('costs no listing for idle resyncs, which the periodic relist answers', async () => {
    const node = await quietNode(110);
    const { clock, pleg, uids } = node;
    const random = seededRandom(7);
    const workers = uids.map((uid) => ({ uid, mark: pleg.cache.mark(), dueMs: 60_000 + random.next() * 30_000 }));
    for (let nowMs = 0; nowMs < 600_000; nowMs += 100) {
      for (const worker of workers.filter(({ dueMs }) => dueMs <= nowMs)) {
        void pleg.cache.getNewerThan(worker.uid, worker.mark);
        worker.mark = pleg.cache.mark();
        worker.dueMs = nowMs + 60_000 + random.next() * 30_000;
      }
      await clock.advance(100);
    }
    // One relist a minute, and at most one more for the resyncs that come just before one.
    expect(node.listCalls()).toBeLessThanOrEqual(40);
  });

  it('needs one listing for a change and the read that follows it', async () => {
    const node = await quietNode(1);
    const { clock, fake, pleg } = node;
    const { containerId } = await runPod(fake, 'new');
    pleg.requestRelist('new');
    // The step that made the change returns only now.
    await clock.settle();
    const mark = pleg.cache.mark();
    await clock.advance(0);
    const status = await pleg.cache.getNewerThan('new', mark);
    expect(status.containers.map(({ id }) => id.id)).toEqual([containerId]);
    expect(node.listCalls()).toBe(2);
  });

  it('ends after one chain of relists when all containers of a pod die at once', async () => {
    const node = await quietNode(0);
    const { clock, fake, pleg, hint } = node;
    const { sandboxId, containerId } = await runPod(fake, 'big');
    const containerIds = [containerId];
    for (let index = 1; index < 10; index += 1) {
      containerIds.push(await runContainer(fake, 'big', sandboxId, `c${String(index)}`));
    }
    await clock.advance(60_000);
    node.listCalls();
    // The events come one by one, and before the runtime's own records show the exits.
    for (const id of [...containerIds, sandboxId]) {
      hint({ containerId: id, kind: 'stopped' });
      await clock.advance(2);
    }
    for (const id of containerIds) fake.exitContainer(id, 137);
    fake.failSandbox(sandboxId);
    await clock.advance(5_000);
    expect(pleg.cache.get('big').containers.map(({ state }) => state)).toEqual(Array(10).fill('exited'));
    expect(node.listCalls()).toBeLessThanOrEqual(20);
  });
});
