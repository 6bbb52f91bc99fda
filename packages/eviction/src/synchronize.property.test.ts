import { isCriticalPod, podUid } from '@rxlet/pod-model';
import { testPod } from '@rxlet/pod-model/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EvictionState } from './eviction-state.ts';
import type { Eviction } from './evictions.ts';
import { thresholdsMet } from './met-thresholds.ts';
import { observe } from './observations.ts';
import { type EvictionAction, type EvictionObservation, synchronize, synchronizeAfterReclaim } from './synchronize.ts';
import { initialState, memoryUse, observation, summary } from './test-support.ts';

const configuration = {
  evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%', 'pid.available': '100' },
  evictionSoft: { 'memory.available': '500Mi', 'nodefs.inodesFree': '20%' },
  evictionSoftGracePeriod: { 'memory.available': '30s', 'nodefs.inodesFree': '1m' },
  evictionMinimumReclaim: { 'memory.available': '50Mi', 'nodefs.available': '5%' },
  enforceNodeAllocatable: ['pods'],
};

const podSpecs = fc.array(
  fc.record({ priority: fc.constantFrom(-1, 0, 5, 2_000_000_000), usedMi: fc.integer({ min: 0, max: 900 }) }),
  { maxLength: 5 },
);
const rounds = fc.array(
  fc.record({
    afterSeconds: fc.integer({ min: 0, max: 400 }),
    memoryMi: fc.integer({ min: 0, max: 900 }),
    diskGi: fc.integer({ min: 0, max: 40 }),
    inodes: fc.integer({ min: 0, max: 400 }),
    pids: fc.integer({ min: 0, max: 300 }),
    hasStatistics: fc.boolean(),
    /** Whether pods that were evicted still run. */
    areRunning: fc.boolean(),
    diskAfterGi: fc.integer({ min: 0, max: 40 }),
  }),
  { minLength: 1, maxLength: 12 },
);

type Specs = readonly { readonly priority: number; readonly usedMi: number }[];
type Step = typeof rounds extends fc.Arbitrary<(infer T)[]> ? T : never;

/** One synchronization of a sequence, with the garbage collection that it asked for. */
interface Round {
  readonly before: EvictionState;
  readonly after: EvictionState;
  readonly observation: EvictionObservation;
  readonly evictions: readonly Eviction[];
}

function play(specs: Specs, steps: readonly Step[]): Round[] {
  const pods = specs.map(({ priority }, index) => testPod({ name: `p${String(index)}`, spec: { priority } }));
  const uses = specs.map(({ usedMi }, index) => memoryUse(`p${String(index)}`, usedMi));
  const everyPod = new Set(pods.map(podUid));
  let state = deepFreeze(initialState(configuration));
  let nowSeconds = 0;
  return steps.map((step) => {
    nowSeconds += step.afterSeconds;
    const running = step.areRunning ? everyPod : new Set<string>();
    const more = { running, ...(!step.hasStatistics && { summary: undefined }) };
    const seen = deepFreeze(observation(nowSeconds, pods, { ...step, pods: uses }, more));
    const decision = synchronize(state, seen);
    const reclaim = decision.actions.find((action) => action.kind === 'reclaim')?.reclaim;
    const left = summary({ ...step, diskGi: step.diskAfterGi });
    const second = reclaim && synchronizeAfterReclaim(decision.state, reclaim, { ...seen, summary: left });
    const before = state;
    state = deepFreeze(second?.state ?? decision.state);
    return {
      before,
      after: state,
      observation: seen,
      evictions: evictionsOf([...decision.actions, ...(second?.actions ?? [])]),
    };
  });
}

function evictionsOf(actions: readonly EvictionAction[]): Eviction[] {
  return actions.flatMap((action) => (action.kind === 'evict' ? [action.eviction] : []));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}

const forEachRound = (check: (round: Round) => void): void => {
  fc.assert(
    fc.property(podSpecs, rounds, (specs, steps) => play(specs, steps).forEach(check)),
    { numRuns: 300 },
  );
};

describe('synchronize, over any sequence', () => {
  it('evicts at most one pod at a time for a threshold, and never a critical one', () => {
    forEachRound(({ evictions, observation: { pods } }) => {
      expect(evictions.length).toBeLessThanOrEqual(1);
      for (const { pod } of evictions) {
        expect(isCriticalPod(pod)).toBe(false);
        expect(pods).toContain(pod);
      }
    });
  });

  it('evicts for a threshold in effect that the node is beyond, for as long as its grace period', () => {
    forEachRound(({ after, evictions, observation: { nowMs } }) => {
      for (const { cause, isSoft } of evictions) {
        const reasons = after.unresolved.filter(
          ({ signal, gracePeriodMs }) => signal === cause && gracePeriodMs > 0 === isSoft,
        );
        expect(reasons).not.toEqual([]);
        for (const threshold of reasons)
          expect(nowMs - after.metSince.get(threshold)!).toBeGreaterThanOrEqual(threshold.gracePeriodMs);
      }
    });
  });

  it('holds no eviction up but by a hard one that is in progress, and soft ones by soft ones', () => {
    forEachRound(({ before, evictions, observation: { nowMs, running } }) => {
      const pending = before.evicting.filter(({ uid, deadlineMs }) => running.has(uid) && nowMs < deadlineMs);
      for (const { isSoft } of evictions) {
        expect(pending.filter((eviction) => !eviction.isSoft)).toEqual([]);
        if (isSoft) expect(pending).toEqual([]);
      }
    });
  });

  it('has the condition of every threshold that the node is beyond, and of none for longer than the transition period', () => {
    forEachRound(({ after, observation: { nowMs, summary: found } }) => {
      if (found === undefined) return;
      const met = thresholdsMet(configured(after), observe(found), { withMinReclaim: false });
      if (met.some(({ signal }) => signal === 'memory.available')) expect(after.conditions).toContain('MemoryPressure');
      if (met.some(({ signal }) => signal === 'pid.available')) expect(after.conditions).toContain('PIDPressure');
      for (const condition of after.conditions)
        expect(nowMs - after.observedAt.get(condition)!).toBeLessThan(after.settings.pressureTransitionPeriodMs);
    });
  });

  it('changes nothing without statistics', () => {
    forEachRound(({ before, after, evictions, observation: { summary: found } }) => {
      if (found !== undefined) return;
      expect(evictions).toEqual([]);
      expect(after.conditions).toEqual(before.conditions);
      expect(after.metSince).toEqual(before.metSince);
    });
  });

  it('decides the same for the same', () => {
    fc.assert(
      fc.property(podSpecs, rounds, (specs, steps) => {
        const named = (played: readonly Round[]): unknown =>
          played.map(({ evictions, after }) => [
            evictions.map(({ message, pod }) => [pod.metadata?.name, message]),
            after.conditions,
          ]);
        expect(named(play(specs, steps))).toEqual(named(play(specs, steps)));
      }),
    );
  });
});

/** Returns the thresholds of the configuration: those of writable layers are in effect from the second synchronization on. */
function configured({ thresholds }: EvictionState): EvictionState['thresholds'] {
  return thresholds.filter(({ signal }) => !signal.startsWith('containerfs.'));
}
