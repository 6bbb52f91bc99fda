import type { RecordedEvent } from '@rxlet/component-base/events';
import type { CurrentValue } from '@rxlet/component-base/streams';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import type { RuntimePod, RuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { Observable } from 'rxjs';
import type { PodAmounts } from './other-pods.ts';
import type { PodSourceProblem } from './pod-source.ts';

/** The core of an agent as its modules see it. */
export interface AgentCore {
  /**
   * The pods of all sources with their current statuses. A pod that its source removed stays, with a deletionTimestamp, until it has ended. A running pod of an earlier
   * agent whose last status is unknown appears with its first one.
   */
  readonly pods: PodList;
  /** Recent events of the pods. */
  readonly events: EventList;
  /** Whether every pod source has reported its pods at least once. Until then a missing pod may still appear. */
  sourcesReady(): boolean;
  /** Current problems of the pod sources and of single pods there. */
  readonly sourceProblems: CurrentValue<readonly PodSourceProblem[]>;
  /** Returns the pods of {@link AgentCore.pods}, and those that do not appear there before their first status. */
  knownPods(): readonly Pod[];
  /** Returns the pods of the sources that have not terminated (kubelet: active pods). */
  activePods(): readonly Pod[];
  /** Returns the sum of an amount of the pods that occupy the node, at a cost that does not depend on their number. @throws whatever `amountsOf` throws */
  sumOfActivePods(amountsOf: PodAmounts, name: string): bigint;
  /** Returns the current status of a pod; `undefined` when none was generated yet. */
  podStatus(podUid: string): PodStatus | undefined;
  /** Reports whether every status sink has the pod's current status. */
  isStatusPublished(podUid: string): boolean;
  /** Returns the runtime's pods, as of the latest relist. */
  runtimePods(): readonly RuntimePod[];
  /** Returns one of {@link AgentCore.runtimePods}; `undefined` when the runtime does not have the pod. */
  runtimePod(podUid: string): RuntimePod | undefined;
  /** Returns the cached runtime status of a pod; empty for an unknown pod. */
  runtimeStatus(podUid: string): RuntimePodStatus;
  /** Reads the IPs of a pod's ready sandbox from the runtime; for a pod in the node's network, those of the node. */
  podIps(pod: Pod, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Terminates a pod, and waits until none of its containers runs, for at most one and a half of the grace period and at least ten seconds. Rejects after
   * that with the reason `ExceededGracePeriod`; the pod is then still being terminated (kubelet: killPodNow).
   */
  killPod(pod: Pod, request: KillPodRequest, signal?: AbortSignal): Promise<void>;
  /**
   * Restarts all containers of a pod in place, or one: their instances are stopped with the grace period of the pod, removed and replaced. The sandbox stays. Returns
   * the names of the containers that restart; none for a pod that terminates or has no instances.
   */
  restartContainers(pod: Pod, container?: string): readonly string[];
  /** Reports whether containers of the pod may be running, now or soon. `true` for an unknown pod while the workers have not seen all pods, and while it runs. */
  mayRunContainers(podUid: string): boolean;
  /** Reports whether the pod has ended and was cleaned up: no container runs, and its volumes are unmounted. */
  isFinished(podUid: string): boolean;
  /** Removes dead containers, old sandboxes and logs of pods that are gone. Rejects when the runtime cannot be listed. */
  collectContainerGarbage(signal: AbortSignal, options?: ContainerGarbageOptions): Promise<void>;
  /** Returns the sections of the debug state by name, and the time. */
  debugState(): Readonly<Record<string, unknown>>;
}

/** Options of {@link AgentCore.collectContainerGarbage}. */
export interface ContainerGarbageOptions {
  /**
   * Also removes all containers and sandboxes of pods that have terminated and are not deleted (kubelet: DeleteAllUnusedContainers). Those of a pod whose status is
   * not published yet stay. Default: no.
   */
  readonly includeTerminatedPods?: boolean | undefined;
}

/** Request to kill a pod. */
export interface KillPodRequest {
  /** `evicted` when the node needs the pod's resources. */
  readonly reason: 'evicted' | 'killed';
  /** Replaces the pod's grace period, in seconds; 0 counts as 1. Ignored when longer than the one that applies already. */
  readonly gracePeriodSeconds?: number;
  /** Adds the cause to the pod's status, such as the phase `Failed` with reason and message. Must neither throw nor change its argument. */
  readonly amendStatus?: (status: PodStatus) => PodStatus;
}

/** A list with its changes. */
export interface PodList {
  list(): readonly Pod[];
  get(podUid: string): Pod | undefined;
  /** Changes from the subscription on; hot. */
  readonly changes$: Observable<PodChange>;
}

/** A change of a pod or of its status. */
export interface PodChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly pod: Pod;
}

/** The last events of pods, and new ones. */
export interface EventList {
  list(): readonly RecordedEvent[];
  /** New events, and repetitions of events of the list, without those dropped by the spam filter. Hot. */
  readonly events$: Observable<RecordedEvent>;
}
