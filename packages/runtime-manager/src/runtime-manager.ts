import { createLifetime, noopLogger, noopMetrics } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import type { RuntimePodStatus } from '@rxlet/pod-model';
import { type Observable, Subject } from 'rxjs';
import type { ActuatedResources } from './compute/container-resize.ts';
import { defaultNodeSettings, type NodeSettings } from './config/node-settings.ts';
import type { ResolvConf } from './config/resolv-conf.ts';
import type { Context } from './context.ts';
import { collectGarbage, type GarbageCollectionRequest, type GarbageCollectionResult } from './gc/collect-garbage.ts';
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
import { podSyncResult, type PodSyncResult, type PodSyncStep, type SyncResult } from './sync/sync-result.ts';

/** Options of {@link createRuntimeManager}. */
export interface RuntimeManagerOptions {
  /** Facts about the node and the kubelet's configuration; what is not given is as in `defaultNodeSettings`. */
  readonly node: Partial<NodeSettings> & Pick<NodeSettings, 'memoryCapacityBytes'>;
  /** Waits of crashing containers. */
  readonly crashLoopBackoff?: CrashLoopBackoffOptions;
  /** Cgroup of a pod in the notation of the runtime's cgroup driver. Default: empty, so that the runtime chooses. */
  readonly cgroupParent?: (pod: Pod) => string;
  /**
   * Runtime handler of a pod's RuntimeClass; empty is the runtime's default handler. A throw keeps the sandbox from being created. Default: the default handler for
   * pods that name no class, and a throw for others.
   */
  readonly runtimeHandler?: (pod: Pod) => string | Promise<string>;
  /** Where log shippers look for links to container logs (`/var/log/containers`). Default: no links are made. */
  readonly containerLogsDirectory?: string;
  /** The hosts file that pods on the node's network get a copy of. Default `/etc/hosts`. */
  readonly nodeHostsFile?: string;
  /**
   * Gives the node's own resolv.conf, which pods' DNS configuration is based on. It is asked for each pod, since the file changes with the node's network.
   * A throw keeps the sandbox from being created. Default: none.
   */
  readonly resolvConf?: () => ResolvConf | undefined | Promise<ResolvConf | undefined>;
  /** What a call to the runtime may take (KubeletConfiguration `runtimeRequestTimeout`), on top of the grace period for StopContainer. Default 2 min. */
  readonly requestTimeoutMs?: number;
}

/**
 * Makes the container runtime hold what pods need.
 *
 * It keeps no picture of the runtime: each call is told what the runtime holds, and its caller hands in a fresh status after each sync. All that it remembers is what
 * the runtime cannot tell, the resources that containers were last given, in the file `actuated_pods_state` of the root directory. Calls for one pod must not
 * overlap (pod workers see to that); calls for different pods may. It starts nothing of its own and sets no timers but within calls.
 *
 * What the runtime or the pod is to blame for is in the result of a call. A call rejects only when it is cancelled, with the signal's reason.
 */
export interface RuntimeManager extends AsyncDisposable {
  /** Decides what the pod needs, by `computePodActions`, and carries it out. */
  syncPod(pod: Pod, status: RuntimePodStatus, options?: SyncPodOptions): Promise<PodSyncResult>;
  /**
   * Stops all containers of a pod, sidecars last, and its sandboxes; removes nothing. Without a pod (its definition is gone) grace periods and
   * preStop hooks are those that were written on the containers.
   */
  killPod(pod: Pod | undefined, status: RuntimePodStatus, options?: KillPodOptions): Promise<PodSyncResult>;
  /** Removes every container and sandbox of a pod that was stopped, its logs, and its directory as far as the manager made it. */
  removePod(status: RuntimePodStatus, options?: { readonly signal?: AbortSignal | undefined }): Promise<PodSyncResult>;
  /**
   * Removes dead containers beyond those that are to be kept, sandboxes that nothing needs, and logs of pods that are gone. Rejects also when the runtime
   * cannot be asked what it holds.
   */
  collectGarbage(request: GarbageCollectionRequest): Promise<GarbageCollectionResult>;
  /**
   * Removes dead instances of one container but the newest one, or all of them. Meant for when one has just died, so that a crash loop does not fill
   * the disk until the next collection.
   */
  trimDeadContainers(
    status: RuntimePodStatus,
    containerName: string,
    options?: { readonly removeAll?: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<PodSyncResult>;
  /**
   * What was last put into effect of a pod's resources, from its containers' start on: what the status of a resized pod shows where the runtime does not say.
   */
  actuatedResources(uid: string): Promise<ActuatedResources>;
  /** Whether something that runs in the pod does not have the resources yet that the pod is to have (condition `PodResizeInProgress`). */
  isResizeInProgress(pod: Pod, status: RuntimePodStatus): Promise<boolean>;
  /** Each step of each sync, kill and removal as it ends. Hot; nothing is kept for late subscribers. Completes on disposal. */
  readonly results$: Observable<PodSyncStep>;
}

/** Creates a {@link RuntimeManager}. Disposing it ends the calls under way as their own signals do, and waits for them: some seconds at most. */
export function createRuntimeManager(ports: RuntimeManagerPorts, options: RuntimeManagerOptions): RuntimeManager {
  const lifetime = createLifetime();
  const steps = new Subject<PodSyncStep>();
  lifetime.defer(() => steps.complete());
  const { logger = noopLogger, metrics = noopMetrics, hooks, internalHooks, podCgroups, ...otherPorts } = ports;
  const settings: NodeSettings = { ...defaultNodeSettings, ...options.node };
  const actuated = createActuatedResources({ files: ports.files, clock: ports.clock, logger }, settings);
  lifetime.defer(() => actuated[Symbol.asyncDispose]());
  const context: Context = {
    ...otherPorts,
    hooks,
    internalHooks,
    logger,
    metrics: managerMetrics(metrics),
    settings,
    cgroupParent: options.cgroupParent ?? (() => ''),
    runtimeHandler: options.runtimeHandler ?? defaultHandlerOnly,
    containerLogsDirectory: options.containerLogsDirectory,
    nodeHostsFile: options.nodeHostsFile ?? '/etc/hosts',
    resolvConf: options.resolvConf ?? (() => undefined),
    requestTimeoutMs: options.requestTimeoutMs ?? 120_000,
    backoff: createCrashLoopBackoff(ports.clock, options.crashLoopBackoff),
    actuated,
    podCgroups,
    memoryUsage: ports.memoryUsage ?? runtimeMemoryUsage(ports.runtime),
  };

  /** Runs one call for a pod: gathers and streams its steps, and ties it to the manager's life. */
  const run = (
    status: RuntimePodStatus,
    given: AbortSignal | undefined,
    task: (record: (result: SyncResult) => void, signal: AbortSignal) => Promise<void>,
  ): Promise<PodSyncResult> => {
    const { uid, name, namespace } = status;
    const signal = given === undefined ? lifetime.signal : AbortSignal.any([given, lifetime.signal]);
    const results: SyncResult[] = [];
    const record = (result: SyncResult): void => {
      // What failed because it was cancelled says nothing about the pod.
      if (signal.aborted && result.reason !== undefined) return;
      results.push(result);
      steps.next({ ...result, pod: { uid, name, namespace } });
    };
    const perform = async (): Promise<PodSyncResult> => {
      signal.throwIfAborted();
      await task(record, signal);
      signal.throwIfAborted();
      return podSyncResult(results);
    };
    return lifetime.track(perform());
  };

  const collect = async (request: GarbageCollectionRequest): Promise<GarbageCollectionResult> => {
    const result = await collectGarbage(context, request, lifetime.signal);
    // Pods that went while no agent ran were never removed by this one.
    await actuated.load();
    if (request.allSourcesReady) actuated.retain((uid) => !request.shouldContentBeRemoved(uid));
    return result;
  };

  return {
    syncPod: (pod, status, given = {}) =>
      run(status, given.signal, (record, signal) =>
        syncPodContents(context, pod, status, record, { ...given, signal }),
      ),
    killPod: (pod, status, given = {}) =>
      run(status, given.signal, (record, signal) =>
        killPodContents(context, pod, status, record, { ...given, signal }),
      ),
    removePod: (status, given = {}) =>
      run(status, given.signal, async (record, signal) => {
        await removePodContents(context, status, record, signal);
        actuated.removePod(status.uid);
      }),
    trimDeadContainers: (status, containerName, { removeAll = false, signal: given } = {}) =>
      run(status, given, (record, signal) =>
        trimDeadContainers(context, status, containerName, removeAll ? 0 : 1, record, signal),
      ),
    collectGarbage: (request) => lifetime.track(collect(request)),
    async actuatedResources(uid) {
      await actuated.load();
      return actuated.of(uid);
    },
    async isResizeInProgress(pod, status) {
      return podResizeInProgress(pod, status, await recoverActuated(context, pod, status));
    },
    results$: steps.asObservable(),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function defaultHandlerOnly(pod: Pod): string {
  const { runtimeClassName = '' } = pod.spec!;
  if (runtimeClassName === '') return '';
  throw new Error(`failed to lookup RuntimeClass ${runtimeClassName}: runtime classes are not known to this agent`);
}
