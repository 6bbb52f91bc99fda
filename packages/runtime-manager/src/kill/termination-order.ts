import type { Clock } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { isSidecar } from '@rxlet/pod-model';

/** Order in which the containers of a pod stop: sidecars after all others, in the reverse order of their start. */
export interface TerminationOrder {
  /** Waits until a container may stop, but no longer than `maxMs`. @returns the time waited, in milliseconds */
  waitForTurn(containerName: string, maxMs: number): Promise<number>;
  /** Records that a container has stopped or could not be stopped. */
  ended(containerName: string): void;
}

/**
 * Creates the {@link TerminationOrder} of one pod. Regular init containers do not wait for others, and no container waits for ephemeral ones.
 * @param running names of the containers to stop; all others count as stopped
 */
export function createTerminationOrder(clock: Clock, pod: Pod, running: ReadonlySet<string>): TerminationOrder {
  const sidecars = (pod.spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name);
  const regular = (pod.spec?.containers ?? []).map(({ name }) => name);
  const gates = new Map<string, { promise: Promise<void>; resolve: () => void }>();
  for (const name of [...regular, ...sidecars]) if (running.has(name)) gates.set(name, Promise.withResolvers<void>());

  const predecessors = (name: string): string[] => {
    const position = sidecars.indexOf(name);
    return position < 0 ? [] : [...regular, ...sidecars.slice(position + 1)];
  };
  return {
    async waitForTurn(name, maxMs) {
      const waits = predecessors(name).flatMap((predecessor) => gates.get(predecessor)?.promise ?? []);
      if (waits.length === 0) return 0;
      const startMs = clock.monotonicNow();
      const timeout = Promise.withResolvers<void>();
      const timer = clock.setTimer(maxMs, timeout.resolve);
      await Promise.race([Promise.all(waits), timeout.promise]);
      timer[Symbol.dispose]();
      return clock.monotonicNow() - startMs;
    },
    ended: (name) => gates.get(name)?.resolve(),
  };
}
