import type { RuntimeContainer, RuntimePod, RuntimeSandbox } from '@rxlet/pod-model/runtime';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { selectDeadContainers } from './select-containers.ts';
import { selectDeadSandboxes } from './select-sandboxes.ts';

const NOW = 1_000_000_000n;

const pods = fc
  .array(
    fc.record({
      gone: fc.boolean(),
      containers: fc.array(
        fc.record({
          name: fc.constantFrom('a', 'b'),
          sandbox: fc.nat(2),
          state: fc.constantFrom('running', 'exited', 'created', 'unknown'),
        }),
        { maxLength: 8 },
      ),
      sandboxes: fc.array(fc.constantFrom('ready', 'notready'), { maxLength: 4 }),
    }),
    { maxLength: 4 },
  )
  .chain((specs) => {
    const total = specs.reduce((sum, { containers, sandboxes }) => sum + containers.length + sandboxes.length, 0);
    // Ages of all, in milliseconds and each another, so that it is certain which is the oldest.
    const ages = fc.shuffledSubarray(
      Array.from({ length: total }, (_, index) => index),
      { minLength: total },
    );
    return ages.map((order) => {
      let next = 0;
      const createdAtNanos = (): bigint => NOW - BigInt(order[next++]!) * 1_000_000n;
      return specs.map((spec, index) => {
        const uid = `${spec.gone ? 'gone' : 'here'}-${String(index)}`;
        const containers = spec.containers.map(({ name, sandbox, state }): RuntimeContainer => {
          const id = `${uid}-c${String(next)}`;
          const sandboxId = `${uid}-s${String(sandbox)}`;
          const rest = { hash: '', attempt: 0, image: '', imageRef: '' };
          return { id: { type: '', id }, name, sandboxId, state, createdAtNanos: createdAtNanos(), ...rest };
        });
        const sandboxes = spec.sandboxes.map((state, number): RuntimeSandbox => {
          return { id: `${uid}-s${String(number)}`, attempt: number, state, createdAtNanos: createdAtNanos() };
        });
        // As a pod is listed: newest first.
        containers.sort(byAge);
        sandboxes.sort(byAge);
        return { uid, name: uid, namespace: '', containers, sandboxes } satisfies RuntimePod;
      });
    });
  });

const isPodRemoved = (uid: string): boolean => uid.startsWith('gone');
const ageMs = ({ createdAtNanos }: { readonly createdAtNanos: bigint }): number =>
  Number(NOW - createdAtNanos) / 1_000_000;
const byAge = (a: RuntimeSandbox | RuntimeContainer, b: RuntimeSandbox | RuntimeContainer): number =>
  ageMs(a) - ageMs(b);
const oldestOf = <T extends { readonly createdAtNanos: bigint }>(all: readonly T[]): T =>
  all.reduce((oldest, one) => (ageMs(one) > ageMs(oldest) ? one : oldest));

/** Returns the dead containers that garbage collection leaves, found by removing one at a time. */
function leftContainers(
  given: readonly RuntimePod[],
  { minAgeMs, maxPerContainer, maxContainers }: { minAgeMs: number; maxPerContainer: number; maxContainers: number },
): { left: Set<string>; steps: string[] } {
  const keyOf = (pod: RuntimePod, { name }: RuntimeContainer): string => `${pod.uid} ${name}`;
  const left = new Map<RuntimeContainer, string>();
  for (const pod of given) {
    for (const container of pod.containers) {
      if (container.state !== 'running' && ageMs(container) >= minAgeMs) left.set(container, keyOf(pod, container));
    }
  }
  const running = new Set(
    given.flatMap((pod) => pod.containers.filter(({ state }) => state === 'running').map((one) => keyOf(pod, one))),
  );
  const steps: string[] = [];
  const remove = (container: RuntimeContainer): void => {
    left.delete(container);
    steps.push(container.id.id);
  };
  const keys = [...new Set(left.values())];
  const members = (key: string): RuntimeContainer[] =>
    [...left.entries()].filter(([, of]) => of === key).map(([container]) => container);
  const trimTo = (key: string, keep: number): void => {
    while (members(key).length > keep) remove(oldestOf(members(key)));
  };
  /** Leaves the newest instance if it has not started and none runs, and besides it rather those that ran. */
  const trimBesideUnstarted = (key: string, keep: number): void => {
    const newest = members(key).find((one) => members(key).every((other) => ageMs(one) <= ageMs(other)));
    const others = (): RuntimeContainer[] => members(key).filter((one) => one !== newest);
    if (keep === 0 || newest?.state !== 'created' || running.has(key)) return trimTo(key, keep);
    while (others().length > keep) {
      const unstarted = others().filter(({ state }) => state === 'created');
      remove(oldestOf(unstarted.length > 0 ? unstarted : others()));
    }
  };
  for (const key of keys) if (isPodRemoved(key)) trimTo(key, 0);
  const groups = keys.filter((key) => !isPodRemoved(key));
  if (maxPerContainer >= 0) for (const key of groups) trimBesideUnstarted(key, maxPerContainer);
  if (maxContainers >= 0 && left.size > maxContainers) {
    for (const key of groups) trimTo(key, Math.max(1, Math.trunc(maxContainers / groups.length)));
    while (left.size > maxContainers) remove(oldestOf([...left.keys()]));
  }
  return { left: new Set([...left.keys()].map(({ id }) => id.id)), steps };
}

it('keeps the last instance that ran besides a newer one that has not started, unless another one runs', () => {
  const instance = (id: string, state: RuntimeContainer['state'], ageMillis: number): RuntimeContainer => ({
    id: { type: '', id },
    name: 'app',
    sandboxId: 's',
    state,
    createdAtNanos: NOW - BigInt(ageMillis) * 1_000_000n,
    hash: '',
    attempt: 0,
    image: '',
    imageRef: '',
  });
  const containers = [
    instance('new', 'created', 1),
    instance('failed', 'created', 2),
    instance('ran', 'exited', 3),
    instance('old', 'exited', 4),
  ];
  const pod: RuntimePod = { uid: 'here', name: 'here', namespace: '', containers, sandboxes: [] };
  const taken = (from: RuntimePod, maxPerContainer: number): string[] =>
    selectDeadContainers([from], isPodRemoved, NOW, { maxPerContainer })
      .map(({ container }) => container.id.id)
      .toSorted();
  expect(taken(pod, 1)).toEqual(['failed', 'old']);
  expect(taken(pod, 0)).toEqual(['failed', 'new', 'old', 'ran']);
  const runningPod = { ...pod, containers: [...containers, instance('runs', 'running', 5)] };
  expect(taken(runningPod, 1)).toEqual(['failed', 'old', 'ran']);
});

it('selects the same containers as a naive model', () => {
  const retention = fc.record({
    minAgeMs: fc.constantFrom(0, 3, 10),
    maxPerContainer: fc.integer({ min: -1, max: 3 }),
    maxContainers: fc.integer({ min: -1, max: 8 }),
  });
  fc.assert(
    fc.property(pods, retention, (given, limits) => {
      const taken = selectDeadContainers(given, isPodRemoved, NOW, limits).map(({ container }) => container.id.id);
      const { left, steps } = leftContainers(given, limits);
      expect(taken.toSorted()).toEqual(steps.toSorted());
      expect(taken.some((id) => left.has(id))).toBe(false);
    }),
  );
});

it('selects sandboxes that are not ready, not in use, and not the newest of a pod that was not removed', () => {
  fc.assert(
    fc.property(pods, (given) => {
      const taken = new Set(given.flatMap((pod) => selectDeadSandboxes(pod, isPodRemoved)).map(({ id }) => id));
      for (const pod of given) {
        for (const sandbox of pod.sandboxes) {
          const newest = pod.sandboxes.every((other) => ageMs(other) >= ageMs(sandbox));
          const inUse = pod.containers.some(({ sandboxId }) => sandboxId === sandbox.id);
          const stays = sandbox.state === 'ready' || inUse || (newest && !isPodRemoved(pod.uid));
          expect([sandbox.id, taken.has(sandbox.id)]).toEqual([sandbox.id, !stays]);
        }
      }
    }),
  );
});
