import type { ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { isSidecar, isTerminalPhase } from '@rxlet/pod-model';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCondition } from './condition-types.ts';
import { generatePodStatus, type GeneratePodStatusInput } from './generate-pod-status.ts';
import { arbitraryObservation, arbitraryPod } from './test-support/arbitrary-pods.ts';

/** A pod with a sequence of observations. */
const history = (length: number): fc.Arbitrary<readonly GeneratePodStatusInput[]> =>
  arbitraryPod.chain((pod) =>
    fc.tuple(...Array.from({ length }, () => arbitraryObservation(pod))).map((observations) => [...observations]),
  );

/** Returns the statuses generated from a history, each from the one before. */
function statusesOf(observations: readonly GeneratePodStatusInput[]): PodStatus[] {
  return observations.reduce<PodStatus[]>((statuses, input) => {
    statuses.push(generatePodStatus({ ...input, previous: statuses.at(-1) }));
    return statuses;
  }, []);
}

const allContainers = (status: PodStatus): ContainerStatus[] => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
];
const isTrue = (status: PodStatus, type: string): boolean => findCondition(status.conditions, type)?.status === 'True';
const regularInits = (pod: Pod): Set<string> =>
  new Set((pod.spec?.initContainers ?? []).filter((container) => !isSidecar(container)).map(({ name }) => name));

describe('a generated status', () => {
  it('is stable while nothing changes', () => {
    fc.assert(
      fc.property(history(3), (observations) => {
        // A lost container keeps its reported state, which differs from the previous status once.
        const { containers } = observations.at(-1)!.runtime;
        const clear = new Set(containers.filter(({ state }) => state !== 'unknown').map(({ name }) => name));
        const everSeen = new Set(observations.flatMap(({ runtime }) => runtime.containers.map(({ name }) => name)));
        fc.pre(containers.every(({ state }) => state !== 'unknown') && [...everSeen].every((name) => clear.has(name)));
        // The phase follows from the last reported state of sidecars, so it follows their probes one status later.
        const last = observations.at(-1)!;
        const statuses = statusesOf([...observations, last, last]);
        expect(statuses.at(-1)).toEqual(statuses.at(-2));
      }),
      { numRuns: 300 },
    );
  });

  it('never leaves a terminal phase', () => {
    fc.assert(
      fc.property(history(5), (observations) => {
        const phases = statusesOf(observations).map(({ phase }) => phase);
        const end = phases.find(isTerminalPhase);
        const after = end === undefined ? [] : phases.slice(phases.indexOf(end));
        expect(new Set(after).size).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('has ready containers only running and started, and a ready pod only with ready containers', () => {
    fc.assert(
      fc.property(history(3), (observations) => {
        const inits = regularInits(observations[0]!.pod);
        for (const status of statusesOf(observations)) {
          const serving = allContainers(status).filter(({ name }) => !inits.has(name));
          for (const { ready, started, state } of serving) {
            if (ready) expect([started, state?.running !== undefined]).toEqual([true, true]);
          }
          if (isTrue(status, 'Ready')) expect(isTrue(status, 'ContainersReady')).toBe(true);
          if (isTrue(status, 'ContainersReady')) expect(serving.every(({ ready }) => ready)).toBe(true);
          if (isTerminalPhase(status.phase)) expect(isTrue(status, 'ContainersReady')).toBe(false);
        }
      }),
    );
  });

  it('has each container of the spec once, in one state, with a restart count that never decreases', () => {
    fc.assert(
      fc.property(history(4), (observations) => {
        const { spec } = observations[0]!.pod;
        const restarts = new Map<string, number>();
        for (const status of statusesOf(observations)) {
          expect(status.containerStatuses?.map(({ name }) => name)).toEqual(spec?.containers.map(({ name }) => name));
          expect(status.initContainerStatuses?.map(({ name }) => name)).toEqual(
            spec?.initContainers?.map(({ name }) => name),
          );
          for (const { name, state = {}, restartCount } of allContainers(status)) {
            expect(Object.keys(state)).toHaveLength(1);
            expect(restartCount).toBeGreaterThanOrEqual(restarts.get(name) ?? 0);
            restarts.set(name, restartCount);
          }
        }
      }),
    );
  });

  it('stays initialized', () => {
    fc.assert(
      fc.property(history(4), (observations) => {
        const initialized = statusesOf(observations).map((status) => isTrue(status, 'Initialized'));
        expect(initialized.lastIndexOf(false)).toBeLessThan(
          initialized.includes(true) ? initialized.indexOf(true) : Infinity,
        );
      }),
    );
  });
});
