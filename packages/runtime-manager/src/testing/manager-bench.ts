import { seededRandom } from '@rxlet/component-base';
import { createEventLog, type EventLog } from '@rxlet/component-base/events';
import type { VirtualClock } from '@rxlet/component-base/testing';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { createMemoryFiles, type MemoryFiles } from '@rxlet/node-files/testing';
import { emptyRuntimePodStatus, newestContainerStatus, type RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { readRuntimePods, readRuntimePodStatus } from '@rxlet/pod-model/cri';
import type { NodeSettings } from '../config/node-settings.ts';
import type { RuntimeManagerPorts } from '../ports.ts';
import { createRuntimeManager, type RuntimeManager, type RuntimeManagerOptions } from '../runtime-manager.ts';
import type { PodSyncResult } from '../sync/sync-result.ts';
import { createDirectImageEnsurer } from './direct-image-ensurer.ts';

/** Manager on a virtual clock, with helpers for its tests. */
export interface ManagerBench {
  readonly clock: VirtualClock;
  readonly manager: RuntimeManager;
  readonly events: EventLog;
  readonly files: MemoryFiles;
  /** Reads the status of a pod from the runtime. */
  status(pod: Pod): Promise<RuntimePodStatus>;
  /** Returns `name/restart count state` of each container, the oldest first. */
  containers(pod: Pod): Promise<string[]>;
  /** Returns `attempt state` of each sandbox, the newest first. */
  sandboxes(pod: Pod): Promise<string[]>;
  /** Returns the id of the newest instance of a container. */
  idOf(pod: Pod, containerName: string): Promise<string>;
  /** Performs one sync with the current status. */
  sync(pod: Pod): Promise<PodSyncResult>;
  /** Syncs until a sync has no steps or fails. @returns its result */
  settle(pod: Pod): Promise<PodSyncResult>;
  /** Advances the clock until a task has ended. */
  during<T>(task: PromiseLike<T>): Promise<T>;
  /** Returns `reason: message` of each event so far, the oldest first. */
  eventTexts(): string[];
}

/** Parts of a {@link ManagerBench}. */
export interface ManagerBenchParts {
  readonly clock: VirtualClock;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Default: a hosts file only. */
  readonly files?: MemoryFiles;
  readonly ports?: Partial<RuntimeManagerPorts>;
  readonly options?: Partial<Omit<RuntimeManagerOptions, 'node'>> & { readonly node?: Partial<NodeSettings> };
}

/** Creates a {@link ManagerBench}. */
export function createManagerBench({
  clock,
  runtime,
  images,
  files = createMemoryFiles({ files: { '/etc/hosts': '127.0.0.1\tlocalhost\n' } }),
  ports,
  options,
}: ManagerBenchParts): ManagerBench {
  const events = createEventLog(clock);
  const manager = createRuntimeManager(
    {
      runtime,
      images: createDirectImageEnsurer(images),
      imageService: images,
      clock,
      random: seededRandom(1),
      events,
      files: files.nodeFiles,
      hostFiles: files.hostFiles,
      ...ports,
    },
    { resolvConf: '', ...options, node: { memoryCapacityBytes: 8n * 1024n ** 3n, ...options?.node } },
  );
  const status = async (pod: Pod): Promise<RuntimePodStatus> => {
    const { uid = '', name, namespace } = pod.metadata ?? {};
    const [found] = await readRuntimePods(runtime, { runtimeName: 'fake', uid });
    if (found === undefined) return emptyRuntimePodStatus(uid, name, namespace);
    return readRuntimePodStatus(runtime, found, { runtimeName: 'fake' });
  };
  const sync = async (pod: Pod): Promise<PodSyncResult> => manager.syncPod(pod, await status(pod));
  return {
    clock,
    manager,
    events,
    files,
    status,
    async containers(pod) {
      const { containers } = await status(pod);
      return containers.map(({ name, restartCount, state }) => `${name}/${String(restartCount)} ${state}`).reverse();
    },
    sandboxes: async (pod) => (await status(pod)).sandboxes.map(({ attempt, state }) => `${String(attempt)} ${state}`),
    async idOf(pod, containerName) {
      const newest = newestContainerStatus(await status(pod), containerName);
      if (newest === undefined) throw new Error(`container ${containerName} does not exist`);
      return newest.id.id;
    },
    sync,
    async settle(pod) {
      for (let round = 0; round < 20; round++) {
        const result = await sync(pod);
        if (result.results.length === 0 || result.error !== undefined) return result;
        await clock.settle();
      }
      throw new Error('the pod does not settle within 20 syncs');
    },
    async during(task) {
      let ended = false;
      const end = (): void => void (ended = true);
      task.then(end, end);
      await clock.runUntil(() => ended);
      return task;
    },
    eventTexts: () => events.list().map(({ reason, message }) => `${reason}: ${message}`),
  };
}
