import { createLifetime, errorMessage, type Logger } from '@rxlet/component-base';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { Pleg } from '@rxlet/pleg';
import { type PodWorkers, shouldContentBeRemoved } from '@rxlet/pod-workers';
import type { RuntimeManager } from '@rxlet/runtime-manager';

/** Ports of {@link createDeadContainers}. */
export interface DeadContainersPorts {
  readonly logger: Logger;
  readonly cache: Pick<Pleg['cache'], 'get'>;
  readonly workers: Pick<PodWorkers, 'state' | 'keepsContainers'>;
  readonly runtimeManager: Pick<RuntimeManager, 'trimDeadContainers'>;
}

/** Removal of dead containers in the background, as the kubelet's pod container deletor. Disposal cancels it. */
export interface DeadContainers extends AsyncDisposable {
  /** Removes older dead instances of a container that died; all of them when the pod's contents must go. */
  containerDied(podUid: string, containerName: string): void;
  /** Removes all dead containers of a pod, to free the disk space of an evicted pod at once. */
  removeAll(podUid: string): void;
}

/** Creates {@link DeadContainers}. */
export function createDeadContainers({ logger, cache, workers, runtimeManager }: DeadContainersPorts): DeadContainers {
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const trim = (status: RuntimePodStatus, containerName: string, removeAll: boolean): void => {
    const trimming = runtimeManager.trimDeadContainers(status, containerName, { removeAll, signal });
    void lifetime.track(trimming).catch((error: unknown) => {
      if (signal.aborted) return;
      logger.error('cannot remove dead containers', { podUid: status.uid, error: errorMessage(error) });
    });
  };
  return {
    containerDied(podUid, containerName) {
      const state = workers.state(podUid);
      // The final status needs the exit codes. The terminated step removes the contents of an evicted pod.
      if (state?.kind === 'terminating') return;
      const removeAll = state !== undefined && shouldContentBeRemoved(state) && !workers.keepsContainers(podUid);
      // The terminated step removes all contents; only containers of a running pod would fill the disk.
      if (state?.kind === 'syncing' || removeAll) trim(cache.get(podUid), containerName, removeAll);
    },
    removeAll(podUid) {
      const status = cache.get(podUid);
      const dead = status.containers.filter(({ state }) => state === 'exited').map(({ name }) => name);
      for (const name of new Set(dead)) trim(status, name, true);
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
