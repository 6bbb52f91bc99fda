import { createJournalRecorder } from '../journal/journal-recorder.ts';
import type { AdmissionHandler } from '@rxlet/agent-api';
import type { HousekeepingStep } from '@rxlet/agent-api/housekeeping';
import type { ProbeResultChange } from '@rxlet/agent-api/containers';
import { seededRandom } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import { createEmitter } from '@rxlet/component-base/streams';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { isStaticPod, podFullName, podUid } from '@rxlet/pod-model';
import {
  emptyRuntimePodStatus,
  type RuntimePod,
  type RuntimePodStatus,
  type RuntimeSandboxState,
} from '@rxlet/pod-model/runtime';
import { testSandboxStatus } from '@rxlet/pod-model/testing';
import type { PodLifecycleEvent } from '@rxlet/pleg';
import type { PodConfig, PodOperation, PodUpdate } from '@rxlet/pod-config';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { createPodStates, createPodWorkers } from '@rxlet/pod-workers';
import { onTestFinished } from 'vitest';
import { createPodView } from '../outputs/pod-view.ts';
import { createStepFailures } from '../housekeeping/isolated-steps.ts';
import { mayRun } from '../housekeeping/may-run.ts';
import { createActivePods } from '../sync-loop/active-pods.ts';
import { createLoopActivity } from '../sync-loop/loop-activity.ts';
import { createPodAdmissions } from '../sync-loop/pod-admissions.ts';
import { createRejectPod } from '../sync-loop/reject-pod.ts';
import { createSyncLoop, type SyncLoopPorts } from '../sync-loop/sync-loop.ts';

interface Options {
  readonly admission?: readonly AdmissionHandler[];
  readonly housekeeping?: readonly HousekeepingStep[];
  /** Triggers before that of the bench. */
  readonly syncTriggers?: SyncLoopPorts['syncTriggers'];
}

/** The sync loop with real workers, whose steps take no time, and nothing else. */

export function createSyncLoopBench({ admission = [], housekeeping = [], syncTriggers = [] }: Options = {}) {
  const clock = createVirtualClock();
  const beganMs = clock.now();
  const logger = recordingLogger();
  const events = createEventLog(clock);
  const updates = createEmitter<PodUpdate>();
  const readySources = createEmitter<ReadonlySet<string>>();
  const lifecycle = createEmitter<PodLifecycleEvent>();
  const probes = createEmitter<ProbeResultChange>();
  const triggers = createEmitter<string>();
  const steps: string[] = [];
  /** The object of the latest sync, by UID. */
  const synced = new Map<string, Pod>();
  const statuses = new Map<string, PodStatus>();
  const rejections: string[] = [];
  const world = {
    ready: true,
    pods: [] as readonly Pod[],
    held: [] as readonly RuntimePod[],
    /** UIDs of pods that their source lists and that are invalid. */
    invalid: new Set<string>(),
    statuses: new Map<string, RuntimePodStatus>(),
    gcError: undefined as Error | undefined,
    /** Settles when a pod has stopped. */
    stopping: Promise.resolve(),
  };
  const view = createPodView(clock);
  const files = createMemoryFiles();
  const gauges = new Map<string, number>();
  /** UIDs of the latest calls of retain: `probes` and `statuses`. */
  const retained = new Map<string, string>();
  const trims: string[] = [];
  const probed: string[] = [];
  /** Errors of ports. */
  const fail: {
    retainPods?: Error | undefined;
    previousStatus?: Error | undefined;
    setPodStatus?: Error | undefined;
  } = {};
  const collections: { readonly atMs: number }[] = [];
  const metrics: Metrics = {
    ...noopMetrics,
    gauge: ({ name }) => ({
      set: (value, labels) => void gauges.set([name, ...Object.values(labels ?? {})].join(' ').trim(), value),
    }),
    counter: ({ name }) => ({ inc: (labels) => void rejections.push(`${name} ${labels?.['reason'] ?? ''}`) }),
  };
  const podStates = createPodStates(clock);
  const workers = createPodWorkers({
    states: podStates,
    clock,
    random: seededRandom(1),
    statuses: { mark: () => 0, getNewerThan: (uid) => Promise.resolve(emptyRuntimePodStatus(uid)) },
    syncer: {
      syncPod: ({ pod }) => {
        steps.push(`sync ${pod.metadata?.name ?? ''}`);
        synced.set(podUid(pod), pod);
        return Promise.resolve({ completed: false });
      },
      syncTerminatingPod: ({ status }) => {
        steps.push(`stop ${status.uid}`);
        return world.stopping;
      },
      syncTerminatedPod: () => Promise.resolve(),
    },
  });
  const config: SyncLoopPorts['config'] & Pick<PodConfig, 'isInvalid'> = {
    updates$: updates.values$,
    readySources$: readySources.values$,
    sourcesReady: () => world.ready,
    pods: () => world.pods,
    find: (uid) => world.pods.find((pod) => podUid(pod) === uid),
    findStatic: (fullName) => world.pods.find((pod) => isStaticPod(pod) && podFullName(pod) === fullName),
    isInvalid: (uid) => world.invalid.has(uid),
  };
  const admissions = createPodAdmissions(config, podStates);
  const activity = createLoopActivity(clock);
  const housekeepingFailures = createStepFailures();
  const statusManager: SyncLoopPorts['statusManager'] = {
    previousStatus(pod) {
      if (fail.previousStatus !== undefined) throw fail.previousStatus;
      return statuses.get(podUid(pod)) ?? pod.status ?? {};
    },
    setPodStatus(pod, status) {
      if (fail.setPodStatus !== undefined) throw fail.setPodStatus;
      return statuses.set(podUid(pod), status) !== undefined;
    },
    forget: (uid) => void statuses.delete(uid),
    startAnew: (pod) => void statuses.delete(podUid(pod)),
    setContainerReadiness: (uid, _id, ready) => void probed.push(`${uid} ready ${String(ready)}`),
    setContainerStartup: (uid, _id, isStarted) => void probed.push(`${uid} started ${String(isStarted)}`),
    get: () => undefined,
    republish: () => undefined,
    removeOrphaned: (uids) => void retained.set('statuses', [...uids].sort().join()),
  };
  const journal = createJournalRecorder({ clock, random: seededRandom(1), logger, sinks: [] });
  const rejectPod = createRejectPod({ statusManager, events, journal, metrics });
  const loop = createSyncLoop(
    {
      podChangedState: () => undefined,
      rejectPod,
      journal,
      clock,
      logger,
      metrics,
      events,
      config,
      pleg: {
        events$: lifecycle.values$,
        pods: () => world.held,
        find: (uid) => world.held.find((pod) => pod.uid === uid),
        named: (namespace, name) => world.held.filter((pod) => pod.namespace === namespace && pod.name === name),
        cache: {
          get: (uid) => world.statuses.get(uid) ?? emptyRuntimePodStatus(uid),
          mark: () => 0,
          getNewerThan: () => Promise.reject(new Error()),
        },
      },
      workers,
      activePods: createActivePods({
        config,
        states: podStates,
        isRunning: (uid) => mayRun(world.held.find((pod) => pod.uid === uid)),
        allocated: (pod) => pod,
      }),
      runtimeManager: {
        trimDeadContainers({ uid }, name, given) {
          trims.push(`${uid} ${name} ${given?.removeAll ? 'all' : 'but one'}`);
          return Promise.resolve({ results: [] });
        },
      },
      statusManager,
      probes: { results$: probes.values$ },
      syncTriggers: [...syncTriggers, triggers.values$],
      requestSync: triggers.emit,
      admissions,
      activity,
      housekeepingFailures,
      housekeeping: [
        {
          name: 'probes',
          run({ knownPodUids }) {
            if (fail.retainPods !== undefined) throw fail.retainPods;
            retained.set('probes', [...knownPodUids].sort().join());
          },
        },
        ...housekeeping,
      ],
      garbageCollection: [
        {
          name: 'containers',
          failureReason: 'ContainerGCFailed',
          run() {
            collections.push({ atMs: clock.now() - beganMs });
            return world.gcError === undefined ? Promise.resolve() : Promise.reject(world.gcError);
          },
        },
      ],
      admission,
      view,
      files: files.nodeFiles,
      node: { name: 'node1', rootDirectory: '/root' },
    },
    {},
  );
  onTestFinished(async () => {
    await loop[Symbol.asyncDispose]();
    await workers[Symbol.asyncDispose]();
  });
  loop.start();
  const emit = async (op: PodOperation, ...pods: Pod[]): Promise<void> => {
    const uids = new Set(pods.map(({ metadata }) => metadata?.uid));
    const others = world.pods.filter(({ metadata }) => !uids.has(metadata?.uid));
    world.pods = op === 'REMOVE' ? others : [...others, ...pods];
    updates.emit({ op, source: 'file', pods });
    await clock.settle();
  };
  return {
    clock,
    logger,
    events,
    fail,
    /** Makes the source `file` ready; `all`: and with it all sources. */
    becomeReady(all = true): Promise<void> {
      world.ready = all;
      readySources.emit(new Set(['file']));
      return clock.settle();
    },
    lifecycle,
    probes,
    triggers,
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
    admissions,
    activity,
    housekeepingFailures,
    loop,
    emit,
  };
}

/** A pod with other metadata. */
export const withMetadata = (pod: Pod, metadata: Pod['metadata']): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, ...metadata },
});
/** A pod in the runtime that runs, or of which only a dead sandbox is left. */
export function runtimePod(uid: string, state: RuntimeSandboxState = 'ready', name = uid): RuntimePod {
  return { uid, name, namespace: 'default', containers: [], sandboxes: [testSandboxStatus({ state })] };
}

/** Rejects the pods of this name. */
export const rejectNamed = (name: string, reason = 'OutOfcpu'): AdmissionHandler => ({
  name: `reject-${name}`,
  admit: (pod) => (pod.metadata?.name === name ? { reason, message: `no ${name} here` } : undefined),
});
