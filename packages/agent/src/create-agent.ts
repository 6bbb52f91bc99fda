import { hostname } from 'node:os';
import {
  createEventLog,
  createLifetime,
  noopLogger,
  noopMetrics,
  systemClock,
  systemRandom,
} from '@rxlet/component-base';
import { nodeHttp } from '@rxlet/component-base/http';
import type { Pod } from '@rxlet/kube-api';
import { containerEventHints } from '@rxlet/pleg';
import { couldHaveRunningContainers } from '@rxlet/pod-workers';
import { nodeNetwork } from '@rxlet/prober';
import {
  createNodeFileSystem,
  createNodeLogDirectories,
  createNodeLogFiles,
  unsupportedPodFeatures,
} from '@rxlet/runtime-manager';
import { createPodStartLatency, createStartErrors, createStatusCheckpoint } from '@rxlet/status-manager';
import type { Agent, AgentOptions, AgentPorts } from './agent.ts';
import { assembleImages } from './images/assemble-images.ts';
import { createContainerLogs } from './logs/container-logs.ts';
import { listRunningContainers } from './logs/list-running-containers.ts';
import { createRuntimeState } from './node/runtime-state.ts';
import { createDebugState } from './outputs/debug-state.ts';
import { measurePodStarts } from './outputs/measure-pod-starts.ts';
import { createPodView } from './outputs/pod-view.ts';
import { type AgentParts, defaultParts } from './parts.ts';
import { createActiveDeadlines } from './pod-syncer/active-deadlines.ts';
import { noMirrorPods } from './pod-syncer/mirror-pods.ts';
import { createPodSyncer } from './pod-syncer/pod-syncer.ts';
import { readPodIp } from './pod-syncer/read-pod-ip.ts';
import { createTerminationMessages } from './pod-syncer/termination-messages.ts';
import { refuseUnsupportedFeatures } from './sync-loop/admission.ts';
import { createSyncLoop } from './sync-loop/sync-loop.ts';

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
    housekeepingPeriodMs,
    garbageCollectionPeriodMs,
    containerLogsDirectory,
  } = options;
  const make = { ...defaultParts, ...parts };
  const base = { clock, random, logger, metrics };
  const { rootDirectory } = node;
  const directories = [rootDirectory, node.podLogsDirectory, containerLogsDirectory].filter(
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

  metrics.gauge({ name: 'kubelet_node_name', help: 'The name of the node; always 1.', labelNames: ['node'] }).set(1, {
    node: nodeName,
  });

  // What the world sees.
  const view = createPodView(clock);
  const events = createEventLog(clock);
  lifetime.defer(() => {
    view.close();
    events.close();
  });

  // pod-source ──PodUpdate──▶
  const config = own(make.createPodConfig({ ...base, events, sources }));

  // ◀──PodLifecycleEvent── pleg ◀── runtime
  const runtimeState = own(createRuntimeState({ ...base, runtime }));
  const pleg = own(make.createPleg({ ...base, runtime, hints }, { runtimeName, relistPeriodMs }));

  // runtime manager ──▶ image manager, hooks, runtime
  const startLatency = createPodStartLatency({ clock, metrics });
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

  // status manager ──PodStatus──▶
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
  const shown = statusManager.status$.subscribe(({ pod, status }) => view.setStatus(pod.metadata?.uid ?? '', status));
  lifetime.defer(() => shown.unsubscribe());
  const probeNetwork = ports.probeNetwork ?? { ...nodeNetwork, http };
  const runner = make.createProbeRunner({ runtime, clock, network: probeNetwork });
  const prober = own(make.createProber({ ...base, runner, events, podStatus: statusManager.get }));

  // pod workers ──(sync | terminating | terminated)──▶ the two managers
  const logFiles = ports.logFiles ?? createNodeLogFiles();
  const activeDeadlines = createActiveDeadlines(clock, events, (uid) => workers.sync(uid));
  lifetime.defer(() => activeDeadlines[Symbol.dispose]());
  const syncer = createPodSyncer({
    ...base,
    events,
    mirrorPods,
    runtime,
    runtimeName,
    runtimeState,
    pleg,
    runtimeManager,
    statusManager,
    prober,
    terminationMessages: createTerminationMessages({ files, logFiles, clock }),
    startErrors: createStartErrors(),
    startLatency,
    activeDeadlines,
    syncAgain: (uid) => loop.requestSync(uid),
    hostIps: node.nodeIps ?? [],
  });
  const workers = own(make.createPodWorkers({ ...base, events, syncer, statuses: pleg.cache }, { resyncIntervalMs }));

  // The sync loop, which hears of all and tells the workers.
  const admission = [
    refuseUnsupportedFeatures((pod) => unsupportedPodFeatures(pod, { lifecycleHooks: true, probes: true })),
    ...(ports.admission ?? []),
  ];
  const loop = own(
    createSyncLoop(
      {
        ...base,
        events,
        view,
        files,
        mirrorPods,
        config,
        pleg,
        workers,
        runtimeManager,
        statusManager,
        prober,
        admission,
        podCgroupCleaner: ports.podCgroupCleaner,
      },
      { rootDirectory, nodeName, housekeepingPeriodMs, garbageCollectionPeriodMs },
    ),
  );
  measurePodStarts(startLatency, config, statusManager, lifetime);
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
