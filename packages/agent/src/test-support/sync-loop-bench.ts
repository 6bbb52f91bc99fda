import { createEventLog, type Metrics, noopMetrics, seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { emptyRuntimePodStatus, type RuntimePod, type RuntimePodStatus } from '@rxlet/pod-model';
import type { PodLifecycleEvent } from '@rxlet/pleg';
import type { PodOperation, PodUpdate } from '@rxlet/pod-source';
import { createPodWorkers } from '@rxlet/pod-workers';
import type { ProbeResultChange } from '@rxlet/prober';
import { createMemoryFileSystem } from '@rxlet/runtime-manager/testing';
import { NEVER, Subject } from 'rxjs';
import { onTestFinished } from 'vitest';
import type { PodCgroupCleaner } from '../housekeeping/pod-cgroup-cleaner.ts';
import { createPodView } from '../outputs/pod-view.ts';
import type { AdmissionHandler } from '../sync-loop/admission.ts';
import { createSyncLoop } from '../sync-loop/sync-loop.ts';

interface Options {
  readonly admission?: readonly AdmissionHandler[];
  readonly podCgroupCleaner?: PodCgroupCleaner;
}

/** The sync loop with real workers, whose steps take no time, and nothing else. */

export function createSyncLoopBench({ admission = [], podCgroupCleaner }: Options = {}) {
  const clock = createVirtualClock();
  const beganMs = clock.now();
  const logger = recordingLogger();
  const events = createEventLog(clock);
  const updates$ = new Subject<PodUpdate>();
  const lifecycle$ = new Subject<PodLifecycleEvent>();
  const probes$ = new Subject<ProbeResultChange>();
  const steps: string[] = [];
  /** The object of the latest sync, by UID. */
  const synced = new Map<string, Pod>();
  const statuses = new Map<string, PodStatus>();
  const rejections: string[] = [];
  const world = {
    ready: true,
    pods: [] as readonly Pod[],
    held: [] as readonly RuntimePod[],
    statuses: new Map<string, RuntimePodStatus>(),
    gcError: undefined as Error | undefined,
    /** What stopping a pod waits for. */
    stopping: Promise.resolve(),
  };
  const view = createPodView(clock);
  const files = createMemoryFileSystem();
  const gauges = new Map<string, number>();
  /** What is kept, as housekeeping said last: `probes` and `statuses`. */
  const retained = new Map<string, string>();
  const trims: string[] = [];
  const probed: string[] = [];
  const collections: { readonly atMs: number; readonly ready: boolean; readonly unknownMayGo: boolean }[] = [];
  const metrics: Metrics = {
    ...noopMetrics,
    gauge: ({ name }) => ({
      set: (value, labels) => void gauges.set([name, ...Object.values(labels ?? {})].join(' ').trim(), value),
    }),
    counter: ({ name }) => ({ inc: (labels) => void rejections.push(`${name} ${labels?.['reason'] ?? ''}`) }),
  };
  const workers = createPodWorkers({
    clock,
    random: seededRandom(1),
    statuses: { mark: () => 0, getNewerThan: (uid) => Promise.resolve(emptyRuntimePodStatus(uid)) },
    syncer: {
      syncPod: ({ pod }) => {
        steps.push(`sync ${pod.metadata?.name ?? ''}`);
        synced.set(pod.metadata?.uid ?? '', pod);
        return Promise.resolve({ completed: false });
      },
      syncTerminatingPod: ({ status }) => {
        steps.push(`stop ${status.uid}`);
        return world.stopping;
      },
      syncTerminatedPod: () => Promise.resolve(),
    },
  });
  const loop = createSyncLoop(
    {
      clock,
      logger,
      metrics,
      events,
      config: { updates$, sourcesReady: () => world.ready, pods: () => world.pods },
      pleg: {
        events$: lifecycle$,
        pods: () => world.held,
        cache: {
          get: (uid) => world.statuses.get(uid) ?? emptyRuntimePodStatus(uid),
          mark: () => 0,
          getNewerThan: () => Promise.reject(new Error()),
          changes$: NEVER,
        },
      },
      workers,
      runtimeManager: {
        trimDeadContainers({ uid }, name, given) {
          trims.push(`${uid} ${name} ${given?.removeAll ? 'all' : 'but one'}`);
          return Promise.resolve({ results: [] });
        },
        collectGarbage({ allSourcesReady: ready, shouldContentBeRemoved }) {
          collections.push({ atMs: clock.now() - beganMs, ready, unknownMayGo: shouldContentBeRemoved('unknown') });
          if (world.gcError !== undefined) return Promise.reject(world.gcError);
          return Promise.resolve({ containers: [], sandboxes: [], logDirectories: [], failures: [] });
        },
      },
      statusManager: {
        previousStatus: (pod) => statuses.get(pod.metadata?.uid ?? '') ?? pod.status ?? {},
        setPodStatus: (pod, status) => statuses.set(pod.metadata?.uid ?? '', status) !== undefined,
        forget: (uid) => void statuses.delete(uid),
        setContainerReadiness: (uid, _id, ready) => void probed.push(`${uid} ready ${String(ready)}`),
        setContainerStartup: (uid, _id, isStarted) => void probed.push(`${uid} started ${String(isStarted)}`),
        removeOrphaned: (uids) => void retained.set('statuses', [...uids].sort().join()),
      },
      prober: { results$: probes$, retainPods: (uids) => void retained.set('probes', [...uids].sort().join()) },
      admission,
      view,
      files,
      podCgroupCleaner,
    },
    { rootDirectory: '/root', nodeName: 'node1' },
  );
  onTestFinished(async () => {
    await loop[Symbol.asyncDispose]();
    await workers[Symbol.asyncDispose]();
  });
  loop.start();
  const tell = async (op: PodOperation, ...pods: Pod[]): Promise<void> => {
    const uids = new Set(pods.map(({ metadata }) => metadata?.uid));
    const others = world.pods.filter(({ metadata }) => !uids.has(metadata?.uid));
    world.pods = op === 'REMOVE' ? others : [...others, ...pods];
    updates$.next({ op, source: 'file', pods });
    await clock.settle();
  };
  return {
    clock,
    logger,
    events,
    lifecycle$,
    probes$,
    probed,
    steps,
    synced,
    statuses,
    rejections,
    gauges,
    retained,
    trims,
    collections,
    world,
    view,
    files,
    workers,
    loop,
    tell,
  };
}

/** A pod with other metadata. */
export const withMetadata = (pod: Pod, metadata: Pod['metadata']): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, ...metadata },
});
/** Refuses the pods of this name. */
export const refuseNamed =
  (name: string, reason = 'OutOfcpu'): AdmissionHandler =>
  (pod) =>
    pod.metadata?.name === name ? { reason, message: `no ${name} here` } : undefined;
