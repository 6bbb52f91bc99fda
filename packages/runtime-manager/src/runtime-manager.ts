import { noopJournal } from '@rxlet/agent-api/journal';
import { createLifetime, noopLogger } from '@rxlet/component-base';
import { noopMetrics } from '@rxlet/component-base/metrics';
import type { Pod } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { ActuatedResources } from './compute/container-resize.ts';
import { nodeHostIps } from './config/node-addresses.ts';
import { defaultNodeSettings, type NodeSettings } from './config/node-settings.ts';
import { runtimeHandlerOf, supportsRecursiveReadOnly } from './config/runtime-handler.ts';
import type { Context } from './context.ts';
import { createResolvConfReader } from './files/resolv-conf-reader.ts';
import { collectGarbage, type GarbageCollectionRequest, type GarbageCollectionResult } from './gc/collect-garbage.ts';
import type { ContainerRetention } from './gc/select-containers.ts';
import { trimDeadContainers } from './gc/trim-dead-containers.ts';
import { type KillPodOptions, killPodContents } from './kill/kill-pod.ts';
import { removePodContents } from './kill/remove-pod.ts';
import { managerMetrics } from './metrics.ts';
import type { RuntimeManagerPorts } from './ports.ts';
import { createActuatedResources } from './resize/actuated-resources.ts';
import { runtimeMemoryUsage } from './resize/memory-usage.ts';
import { podResizeInProgress } from './resize/pod-resize-in-progress.ts';
import { recoverActuated } from './resize/recover-actuated.ts';
import { type CrashLoopBackoffOptions, createCrashLoopBackoff } from './sync/crash-loop-backoff.ts';
import { type SyncPodOptions, syncPodContents } from './sync/sync-pod.ts';
import { podSyncResult, type PodSyncResult, type SyncResult } from './sync/sync-result.ts';
import { checkIdPool, defaultIdPool, type IdPool } from './userns/id-mapping.ts';
import { createUserNamespaces } from './userns/user-namespaces.ts';

/** Options of {@link createRuntimeManager}. */
export interface RuntimeManagerOptions {
  /** Facts about the node and kubelet configuration; defaults are those of `defaultNodeSettings`. */
  readonly node: Partial<NodeSettings> & Pick<NodeSettings, 'memoryCapacityBytes'>;
  /** Back-off of crashing containers. */
  readonly crashLoopBackoff?: CrashLoopBackoffOptions;
  /** Retention of dead containers. */
  readonly containerRetention?: ContainerRetention | undefined;
  /** Cgroup of a pod in the notation of the runtime's cgroup driver; empty: the runtime chooses. Default: that of the pod cgroups. */
  readonly cgroupParent?: (pod: Pod) => string;
  /**
   * Returns the runtime handler of a pod's RuntimeClass; empty for the runtime's default handler. If it throws, no sandbox is created. Default: the handler
   * of the class in the port `runtimeClasses`.
   */
  readonly runtimeHandler?: (pod: Pod) => string | Promise<string>;
  /** User and group ids of the node for pods with user namespaces (`hostUsers: false`). Default: all from 65536 on, 65536 for each pod. */
  readonly userIds?: IdPool | undefined;
  /** Directory of links to container logs for log shippers (`/var/log/containers`). Default: no links are created. */
  readonly containerLogsDirectory?: string;
  /** Hosts file that is copied for pods on the node's network. Default `/etc/hosts`. */
  readonly nodeHostsFile?: string;
  /**
   * Path of the node's resolv.conf, the base of the DNS configuration of pods (KubeletConfiguration `resolvConf`); empty: none. It is read for the
   * sandboxes of each second, because it changes with the node's network. No sandbox is created while the file cannot be read. Default `/etc/resolv.conf`.
   */
  readonly resolvConf?: string;
  /** Timeout of a call to the runtime (KubeletConfiguration `runtimeRequestTimeout`), on top of the grace period for StopContainer. Default 2 min. */
  readonly requestTimeoutMs?: number;
}

/**
 * Drives a container runtime towards the specs of pods.
 *
 * The manager keeps no state of the runtime: each call takes the runtime's status of the pod, and the caller passes a new one after each sync. The resources
 * last put into effect, which a runtime cannot report, are kept in the file `actuated_pods_state` of the root directory. Calls for one pod must not overlap
 * (pod workers ensure that); calls for different pods may. Timers run only during calls.
 *
 * Failures of the runtime or the pod are in the result of a call. A call rejects only when it is cancelled, with the signal's reason.
 */
export interface RuntimeManager extends AsyncDisposable {
  /** Performs the actions of `computePodActions`. */
  syncPod(pod: Pod, status: RuntimePodStatus, options?: SyncPodOptions): Promise<PodSyncResult>;
  /**
   * Stops all containers of a pod, sidecars last, and its sandboxes; removes nothing. Without a pod (an orphaned pod) grace periods come from the containers'
   * annotations, and no preStop hooks are run.
   */
  killPod(pod: Pod | undefined, status: RuntimePodStatus, options?: KillPodOptions): Promise<PodSyncResult>;
  /** Removes all containers and sandboxes of a stopped pod, its logs, and the files that the manager created for it. */
  removePod(status: RuntimePodStatus, options?: { readonly signal?: AbortSignal | undefined }): Promise<PodSyncResult>;
  /** Removes dead containers above the retention, unused sandboxes, and logs of removed pods. Rejects when the runtime cannot be listed. */
  collectGarbage(request: GarbageCollectionRequest): Promise<GarbageCollectionResult>;
  /**
   * Removes all dead instances of one container, or all but the newest. Call it after the exit of an instance, so that a crash loop does not fill the disk
   * until the next collection.
   */
  trimDeadContainers(
    status: RuntimePodStatus,
    containerName: string,
    options?: { readonly removeAll?: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<PodSyncResult>;
  /** Returns the resources of a pod that were last put into effect. The status of a resized pod shows them if the runtime reports none. */
  actuatedResources(uid: string): Promise<ActuatedResources>;
  /** Reports whether desired resources of the pod or a running container are not in effect yet (condition `PodResizeInProgress`). */
  isResizeInProgress(pod: Pod, status: RuntimePodStatus): Promise<boolean>;
  /** Reports whether a container of the pod requests recursive read-only mounts that the pod's runtime handler supports (KEP-3857). */
  hasRecursiveReadOnlyMounts(pod: Pod): Promise<boolean>;
}

/**
 * Creates a {@link RuntimeManager}. Disposal cancels calls in flight like their signals, and waits for them, up to a few seconds.
 *
 * @example
 * ```ts
 * import { emptyRuntimePodStatus } from '@rxlet/pod-model/runtime';
 * import { createRuntimeManager, imagesOnNode, type RuntimeManagerPorts } from '@rxlet/runtime-manager';
 * import type { ImageService } from '@rxlet/cri-api';
 *
 * declare const imageService: ImageService;
 * declare const ports: Omit<RuntimeManagerPorts, 'images' | 'imageService'>;
 * await using manager = createRuntimeManager(
 *   { ...ports, imageService, images: imagesOnNode(imageService) },
 *   { node: { memoryCapacityBytes: 8n << 30n } },
 * );
 * const pod = { metadata: { name: 'web', namespace: 'default', uid: '1' }, spec: { containers: [{ name: 'main' }] } };
 * const { error } = await manager.syncPod(pod, emptyRuntimePodStatus('1'));
 * ```
 */
export function createRuntimeManager(ports: RuntimeManagerPorts, options: RuntimeManagerOptions): RuntimeManager {
  const lifetime = createLifetime(ports.stopping);
  const { runtime, images, imageService, clock, random, events, files, hostFiles } = ports;
  const { hooks, containerSteps = [], volumes, objects, services, runtimeClasses } = ports;
  const { exclusiveCpus, nodeObject, nodeResources, podCgroups, journal = noopJournal } = ports;
  const { logger = noopLogger, metrics = noopMetrics } = ports;
  const userIds = options.userIds ?? defaultIdPool;
  checkIdPool(userIds);
  const settings: NodeSettings = {
    ...defaultNodeSettings,
    ...(exclusiveCpus && { isCpuUnlimited: (uid, container) => exclusiveCpus.isUnlimited(uid, container) }),
    ...options.node,
  };
  const actuated = createActuatedResources({ files, clock, logger }, settings);
  lifetime.defer(() => actuated[Symbol.asyncDispose]());
  const context: Context = {
    runtime,
    images,
    imageService,
    clock,
    random,
    events,
    journal,
    files,
    hostFiles,
    hooks,
    containerSteps,
    volumes,
    objects,
    services,
    hostIps: () => (nodeObject === undefined ? settings.nodeIps : nodeHostIps(nodeObject.cached())),
    allocatable: () => nodeResources?.allocatable() ?? settings.allocatable,
    logger,
    metrics: managerMetrics(metrics),
    settings,
    cgroupParent: options.cgroupParent ?? ((pod) => podCgroups?.parentOf(pod) ?? ''),
    runtimeHandler: options.runtimeHandler ?? ((pod) => runtimeHandlerOf(pod, runtimeClasses)),
    containerLogsDirectory: options.containerLogsDirectory,
    nodeHostsFile: options.nodeHostsFile ?? '/etc/hosts',
    resolvConf: createResolvConfReader({ hostFiles, clock }, options.resolvConf ?? '/etc/resolv.conf'),
    requestTimeoutMs: options.requestTimeoutMs ?? 120_000,
    stopping: lifetime.signal,
    backoff: createCrashLoopBackoff(clock, options.crashLoopBackoff),
    actuated,
    podCgroups,
    memoryUsage: ports.memoryUsage ?? runtimeMemoryUsage(runtime),
    userNamespaces: createUserNamespaces(files, settings, userIds),
  };

  /** Runs one call for a pod. Collects its steps, and cancels it on disposal. */
  const run = (
    given: AbortSignal | undefined,
    task: (record: (result: SyncResult) => void, signal: AbortSignal) => Promise<void>,
  ): Promise<PodSyncResult> => {
    const signal = given === undefined ? lifetime.signal : AbortSignal.any([given, lifetime.signal]);
    const results: SyncResult[] = [];
    const record = (result: SyncResult): void => {
      // A step that was cancelled is not a failure of the pod.
      if (signal.aborted && result.reason !== undefined) return;
      results.push(result);
    };
    const perform = async (): Promise<PodSyncResult> => {
      signal.throwIfAborted();
      await task(record, signal);
      signal.throwIfAborted();
      return podSyncResult(results);
    };
    return lifetime.track(perform());
  };

  // One at least, as in the kubelet: its log and exit code explain a crash.
  const keptInstances = Math.max(1, options.containerRetention?.maxPerContainer ?? 1);
  const collect = async (request: GarbageCollectionRequest): Promise<GarbageCollectionResult> => {
    const result = await collectGarbage(context, { ...options.containerRetention, ...request }, lifetime.signal);
    // Pods may have been removed while no agent ran.
    await actuated.load();
    if (request.allSourcesReady) actuated.retain((uid) => !request.shouldContentBeRemoved(uid));
    return result;
  };

  return {
    syncPod: (pod, status, given = {}) =>
      run(given.signal, (record, signal) => syncPodContents(context, pod, status, record, { ...given, signal })),
    killPod: (pod, status, given = {}) =>
      run(given.signal, (record, signal) => killPodContents(context, pod, status, record, { ...given, signal })),
    removePod: (status, given = {}) =>
      run(given.signal, async (record, signal) => {
        await removePodContents(context, status, record, signal);
        actuated.removePod(status.uid);
      }),
    trimDeadContainers: (status, containerName, { removeAll = false, signal: given } = {}) =>
      run(given, (record, signal) =>
        trimDeadContainers(context, status, containerName, removeAll ? 0 : keptInstances, record, signal),
      ),
    collectGarbage: (request) => lifetime.track(collect(request)),
    async actuatedResources(uid) {
      await actuated.load();
      return actuated.of(uid);
    },
    async isResizeInProgress(pod, status) {
      return podResizeInProgress(pod, status, await recoverActuated(context, pod, status));
    },
    async hasRecursiveReadOnlyMounts(pod) {
      const containers = podContainers(pod).map(({ container }) => container);
      return supportsRecursiveReadOnly(context, pod, containers, lifetime.signal);
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
