import { hostname } from 'node:os';
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
import { type HttpPort, nodeHttp } from '@rxlet/component-base/http';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import type { HealthCheck, LogQuery } from '@rxlet/kubelet-server';
import { containerEventHints, type HintSource } from '@rxlet/pleg';
import type { PodSnapshotSource } from '@rxlet/pod-source';
import { couldHaveRunningContainers } from '@rxlet/pod-workers';
import { nodeNetwork, type ProbeNetwork } from '@rxlet/prober';
import {
  type ContainerLogRotatorOptions,
  createNodeFileSystem,
  createNodeLogDirectories,
  createNodeLogFiles,
  type FileSystem,
  type LogDirectories,
  type LogFiles,
  type RuntimeManagerOptions,
  unsupportedPodFeatures,
} from '@rxlet/runtime-manager';
import {
  type CheckpointFile,
  createPodStartLatency,
  createStartErrors,
  createStatusCheckpoint,
  type StatusSink,
} from '@rxlet/status-manager';
import type { Observable } from 'rxjs';
import { type AdmissionHandler, refuseUnsupportedFeatures } from './admission.ts';
import { type AgentImageOptions, type AgentImagePorts, assembleImages } from './assemble-images.ts';
import { createContainerLogs } from './container-logs.ts';
import { createDebugState } from './debug-state.ts';
import { type AgentParts, defaultParts } from './parts.ts';
import type { PodCgroupCleaner } from './pod-cgroup-cleaner.ts';
import { listRunningContainers } from './list-running-containers.ts';
import { type MirrorPods, noMirrorPods } from './mirror-pods.ts';
import { measurePodStarts } from './measure-pod-starts.ts';
import { createPodSyncer } from './pod-syncer.ts';
import { createPodView, type PodChange } from './pod-view.ts';
import { readPodIp } from './read-pod-ip.ts';
import { createRuntimeState } from './runtime-state.ts';
import { createSyncLoop } from './sync-loop.ts';
import { createTerminationMessages } from './termination-messages.ts';

/** What an agent stands on. */
export interface AgentPorts extends AgentImagePorts {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Where the agent hears at once of what happened to containers. Default: GetContainerEvents of `runtime`; one without that is polled. */
  readonly hints?: HintSource;
  /** Where pods come from; each pod has a UID. */
  readonly sources: readonly PodSnapshotSource[];
  /** Where the statuses of pods go, besides {@link Agent.pods}. */
  readonly statusSink?: StatusSink;
  /** Asked after the agent's own admission. */
  readonly admission?: readonly AdmissionHandler[];
  /** Default: none; the runtime makes what cgroups there are. */
  readonly podCgroupCleaner?: PodCgroupCleaner;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Default: the node's own, confined to the directories of {@link AgentOptions}. */
  readonly files?: FileSystem;
  /** Where container logs are rotated. Default: the node's own files. */
  readonly logDirectories?: LogDirectories;
  /** Where the latest statuses are kept, so that the next agent goes on from them. Default: they end with the agent. */
  readonly statusFile?: CheckpointFile;
  /** Where container logs are read. Default: the node's own files. */
  readonly logFiles?: LogFiles;
  /** Shows static pods to an API server. Default: there is none. */
  readonly mirrorPods?: MirrorPods;
  /** How HTTP hooks reach containers. Default: over the node's own network. */
  readonly http?: HttpPort;
  /** How probes reach containers. Default: over the node's own network. */
  readonly probeNetwork?: ProbeNetwork;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** How an agent behaves. */
export interface AgentOptions extends Omit<RuntimeManagerOptions, 'node'> {
  /** Facts and settings of the node; directories default to the kubelet's. See `readNodeFacts`. */
  readonly node: RuntimeManagerOptions['node'] & { readonly rootDirectory: string; readonly podLogsDirectory: string };
  /** As the API knows the node. Default: the machine's name. */
  readonly nodeName?: string;
  readonly images?: AgentImageOptions;
  readonly containerLogs?: ContainerLogRotatorOptions;
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
  /** What goes on inside, as plain data for people: the machine of each pod, and each queue with its depth and oldest age. No stable format. */
  debugState(): unknown;
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
    hints = containerEventHints(runtime),
    sources,
    http = nodeHttp,
    mirrorPods = noMirrorPods,
    clock = systemClock,
    random = systemRandom,
    logger = noopLogger,
    metrics = noopMetrics,
  } = ports;
  const {
    node,
    nodeName = hostname().toLowerCase(),
    relistPeriodMs,
    resyncIntervalMs,
    containerLogsDirectory,
  } = options;
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
  const runtimeState = own(createRuntimeState({ ...base, runtime }));
  const pleg = own(make.createPleg({ ...base, runtime, hints }, { runtimeName, relistPeriodMs }));

  // What brings the one to the other.
  const startLatency = createPodStartLatency({ clock, metrics });
  const { rootDirectory } = node;
  const { imageManager, imageGc } = assembleImages(
    { ...base, events, runtime, images, nodeName, rootDirectory, files, pullObserver: startLatency, lifetime },
    ports,
    options.images ?? {},
    make,
  );
  const podIp = (pod: Pod, signal: AbortSignal) => readPodIp(runtime, runtimeName, pod, signal);
  const hooks = own(make.createLifecycleHooks({ ...base, runtime, http, podIp, events }));
  const runtimeManager = own(
    make.createRuntimeManager(
      { ...base, runtime, images: imageManager, imageService: images, events, files, hooks },
      options,
    ),
  );
  const logDirectories = ports.logDirectories ?? createNodeLogDirectories({ root: node.podLogsDirectory });
  const runningContainers = () => listRunningContainers(pleg);
  const logRotator = own(
    make.createContainerLogRotator(
      { ...base, runtime, directories: logDirectories, runningContainers },
      options.containerLogs,
    ),
  );
  const checkpoint = ports.statusFile && own(createStatusCheckpoint({ clock, logger, file: ports.statusFile }));
  await checkpoint?.load();
  const mayRunContainers = (uid: string): boolean => {
    const state = workers.state(uid);
    return state !== undefined && couldHaveRunningContainers(state);
  };
  const statusManager = own(
    make.createStatusManager({
      ...base,
      sink: ports.statusSink,
      checkpoint,
      couldHaveRunningContainers: mayRunContainers,
    }),
  );
  const probeNetwork = ports.probeNetwork ?? { ...nodeNetwork, http };
  const runner = make.createProbeRunner({ runtime, clock, network: probeNetwork });
  const prober = own(make.createProber({ ...base, runner, events, podStatus: statusManager.get }));
  const logFiles = ports.logFiles ?? createNodeLogFiles();
  const terminationMessages = createTerminationMessages({ files, logFiles, clock });
  const startErrors = createStartErrors();
  const hostIps = node.nodeIps ?? [];
  const { requestRelist, requestReinspect } = pleg;
  const syncer = createPodSyncer({
    runtime,
    runtimeName,
    runtimeState,
    events,
    logger,
    mirrorPods,
    runtimeManager,
    statusManager,
    prober,
    startLatency,
    terminationMessages,
    startErrors,
    requestRelist,
    requestReinspect,
    hostIps,
  });
  const workers = own(make.createPodWorkers({ ...base, events, syncer, statuses: pleg.cache }, { resyncIntervalMs }));

  // What keeps it going.
  const admission = [
    refuseUnsupportedFeatures((pod) => unsupportedPodFeatures(pod, { lifecycleHooks: true, probes: true })),
    ...(ports.admission ?? []),
  ];
  const loop = own(
    createSyncLoop(
      {
        ...base,
        events,
        config,
        pleg,
        workers,
        runtimeManager,
        statusManager,
        prober,
        admission,
        view,
        files,
        podCgroupCleaner: ports.podCgroupCleaner,
      },
      { rootDirectory },
    ),
  );
  measurePodStarts(startLatency, config, statusManager, lifetime);
  const shown = statusManager.status$.subscribe(({ pod, status }) => view.setStatus(pod.metadata?.uid ?? '', status));
  lifetime.defer(() => shown.unsubscribe());
  const startSources = async (): Promise<void> => {
    // Pods of an earlier run are recognised only once it is known what the runtime holds.
    await pleg.firstListing(lifetime.signal);
    config.start();
  };

  return {
    start() {
      runtimeState.start();
      imageGc.start();
      logRotator.start();
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
    debugState: createDebugState({ clock, config, pleg, runtimeState, imageManager, workers, lifetime }),
    readLog: createContainerLogs({ view, cache: pleg.cache, clock, logFiles }),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
