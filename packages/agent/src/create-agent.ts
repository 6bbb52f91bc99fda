import {
  type Clock,
  createEventLog,
  createLifetime,
  type Logger,
  type Metrics,
  noopLogger,
  noopMetrics,
  type Random,
  type RecordedEvent,
  systemClock,
  systemRandom,
} from '@rxlet/component-base';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import type { ImageManagerOptions } from '@rxlet/image-manager';
import type { Pod } from '@rxlet/kube-api';
import type { HealthCheck, LogQuery } from '@rxlet/kubelet-server';
import type { PodSnapshotSource } from '@rxlet/pod-source';
import {
  createNodeFileSystem,
  createNodeLogFiles,
  type FileSystem,
  type LogFiles,
  type RuntimeManagerOptions,
  unsupportedPodFeatures,
} from '@rxlet/runtime-manager';
import { createStartErrors, type StatusSink } from '@rxlet/status-manager';
import type { Observable } from 'rxjs';
import { type AdmissionHandler, refuseUnsupportedFeatures } from './admission.ts';
import { createContainerLogs } from './container-logs.ts';
import { type AgentParts, defaultParts } from './parts.ts';
import { createPodSyncer } from './pod-syncer.ts';
import { createPodView, type PodChange } from './pod-view.ts';
import { createSyncLoop } from './sync-loop.ts';
import { createTerminationMessages } from './termination-messages.ts';

/** What an agent stands on. */
export interface AgentPorts {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Where pods come from; each pod has a UID. */
  readonly sources: readonly PodSnapshotSource[];
  /** Where the statuses of pods go, besides {@link Agent.pods}. */
  readonly statusSink?: StatusSink;
  /** Asked after the agent's own admission. */
  readonly admission?: readonly AdmissionHandler[];
  readonly clock?: Clock;
  readonly random?: Random;
  /** Default: the node's own, confined to the directories of {@link AgentOptions}. */
  readonly files?: FileSystem;
  /** Where container logs are read. Default: the node's own files. */
  readonly logFiles?: LogFiles;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** How an agent behaves. */
export interface AgentOptions extends Omit<RuntimeManagerOptions, 'node'> {
  /** Facts and settings of the node; directories default to the kubelet's. See `readNodeFacts`. */
  readonly node: RuntimeManagerOptions['node'] & { readonly rootDirectory: string; readonly podLogsDirectory: string };
  readonly images?: ImageManagerOptions;
  /** Default one second, as the kubelet's. */
  readonly relistPeriodMs?: number;
  /** KubeletConfiguration `syncFrequency`. Default one minute. */
  readonly resyncIntervalMs?: number;
}

/** A running node agent. */
export interface Agent extends AsyncDisposable {
  /** Begins to run the pods of the sources, as soon as the runtime has told what it holds. */
  start(): void;
  /** The pods with their current status; those that are being removed have a deletionTimestamp. */
  readonly pods: { list(): readonly Pod[]; readonly changes$: Observable<PodChange> };
  /** What happened to the pods: the latest thousand events, and each as it comes. */
  readonly events: { list(): readonly RecordedEvent[]; readonly events$: Observable<RecordedEvent> };
  /** What tells whether the agent works. */
  readonly healthChecks: readonly HealthCheck[];
  /** Reads the log of a container. @throws RequestError when there is none */
  readLog(query: LogQuery, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * Joins the subsystems into a node agent. Disposing of it stops the agent and leaves the pods running, to be adopted by the next one.
 *
 * @throws the runtime's error when it does not answer: it is asked for its name, which is part of every container id.
 */
export async function createAgent(
  ports: AgentPorts,
  options: AgentOptions,
  parts: Partial<AgentParts> = {},
): Promise<Agent> {
  const {
    runtime,
    images,
    sources,
    clock = systemClock,
    random = systemRandom,
    logger = noopLogger,
    metrics = noopMetrics,
  } = ports;
  const { node, relistPeriodMs, resyncIntervalMs, containerLogsDirectory } = options;
  const make = { ...defaultParts, ...parts };
  const base = { clock, random, logger, metrics };
  const directories = [node.rootDirectory, node.podLogsDirectory, containerLogsDirectory].filter(
    (path) => path !== undefined,
  );
  const files = ports.files ?? createNodeFileSystem({ roots: directories });
  const { runtimeName } = await runtime.version({ version: '0.1.0' });

  const lifetime = createLifetime();
  /** Parts end in the reverse order of their making. */
  const own = <T extends AsyncDisposable>(part: T): T => {
    lifetime.defer(async () => {
      await part[Symbol.asyncDispose]();
    });
    return part;
  };

  // What the world sees.
  const view = createPodView(clock);
  const events = createEventLog(clock);
  lifetime.defer(() => {
    view.close();
    events.close();
  });

  // Where pods come from, and what the runtime holds of them.
  const config = own(make.createPodConfig({ ...base, events, sources }));
  const pleg = own(make.createPleg({ ...base, runtime }, { runtimeName, relistPeriodMs }));

  // What brings the one to the other.
  const imageManager = own(make.createImageManager({ ...base, images, events }, options.images));
  const runtimeManager = own(
    make.createRuntimeManager({ ...base, runtime, images: imageManager, imageService: images, events, files }, options),
  );
  const statusManager = own(make.createStatusManager({ ...base, sink: ports.statusSink }));
  const logFiles = ports.logFiles ?? createNodeLogFiles();
  const terminationMessages = createTerminationMessages({ files, logFiles, clock });
  const startErrors = createStartErrors();
  const hostIps = node.nodeIps ?? [];
  const { requestRelist } = pleg;
  const syncer = createPodSyncer({
    runtime,
    runtimeName,
    runtimeManager,
    statusManager,
    terminationMessages,
    startErrors,
    requestRelist,
    hostIps,
  });
  const workers = own(make.createPodWorkers({ ...base, events, syncer, statuses: pleg.cache }, { resyncIntervalMs }));

  // What keeps it going.
  const admission = [refuseUnsupportedFeatures(unsupportedPodFeatures), ...(ports.admission ?? [])];
  const loop = own(
    createSyncLoop({ ...base, events, config, pleg, workers, runtimeManager, statusManager, admission, view }),
  );
  const shown = statusManager.status$.subscribe(({ pod, status }) => view.setStatus(pod.metadata?.uid ?? '', status));
  lifetime.defer(() => shown.unsubscribe());
  const startSources = async (): Promise<void> => {
    // Pods of an earlier run are recognised only once it is known what the runtime holds.
    await pleg.firstListing(lifetime.signal);
    config.start();
  };

  return {
    start() {
      loop.start();
      pleg.start();
      void lifetime.track(startSources()).catch(() => undefined);
    },
    pods: view,
    events,
    healthChecks: [
      { name: 'ping', check: () => undefined },
      { name: 'syncloop', check: () => loop.problem() },
      { name: 'pleg', check: () => pleg.problem() },
    ],
    readLog: createContainerLogs({ view, cache: pleg.cache, clock, logFiles }),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
