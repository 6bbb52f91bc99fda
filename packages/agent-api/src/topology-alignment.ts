import type { Container, Pod } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';
import { type ServiceKey, serviceKey } from './service-key.ts';
import type { AgentCore } from './agent-core.ts';

/** NUMA nodes that could provide a resource, or the ones that were chosen for a container. */
export interface NumaHint {
  /** Ids in ascending order; `undefined` when any nodes will do. */
  readonly numaNodes: readonly number[] | undefined;
  /** Whether there is no better choice. */
  readonly isPreferred: boolean;
}

/**
 * Hints of a provider by resource. A resource with `undefined` has no preference, one with an empty list cannot be provided. A provider without any hints has
 * no preference.
 */
export type ResourceHints = Readonly<Record<string, readonly NumaHint[] | undefined>>;

/** Affinity of containers that the topology manager decided nothing about. */
export const noAffinity: NumaHint = { numaNodes: undefined, isPreferred: false };

/** Part of an agent that assigns a resource to containers, such as CPUs, memory or devices. */
export interface HintProvider {
  /**
   * Returns the NUMA nodes that could provide the resources of a container; `undefined` without a preference.
   *
   * @param numaNodes ids of all NUMA nodes of the machine, in ascending order
   */
  containerHints(pod: Pod, container: Container, numaNodes: readonly number[]): ResourceHints | undefined;
  /** Returns the NUMA nodes that could provide the resources of all containers of a pod; `undefined` without a preference. */
  podHints(pod: Pod, numaNodes: readonly number[]): ResourceHints | undefined;
  /**
   * Assigns the resources of a container, and returns once they are certain to survive a restart. A container that has its resources keeps them. Returns why
   * that is impossible. What the containers of a rejected pod got is released by the provider when the pod is no longer active.
   *
   * @param signal aborts when the decision on the pod is no longer needed
   */
  allocate(
    pod: Pod,
    container: Container,
    affinity: NumaHint,
    signal?: AbortSignal,
  ): AllocationFailure | undefined | Promise<AllocationFailure | undefined>;
  /**
   * Reports whether an allocation for the pod may wait for others: for the plugins of its devices, or for a pod whose resources were chosen and not allocated yet,
   * which this pod must not take. Default: no.
   */
  mayTakeLong?(pod: Pod): boolean;
}

/** Why a container cannot get its resources. */
export interface AllocationFailure {
  /** Reason for the status of the pod; `undefined` for a failure that is not expected. */
  readonly reason?: string | undefined;
  readonly message: string;
}

/** Alignment of the resources of pods. Without a provider, modules that assign resources admit pods on their own. */
export const topologyAlignment: ServiceKey<TopologyAlignment> = serviceKey('topology alignment');

/** Admits pods by the hints of all providers (kubelet: topology manager). */
export interface TopologyAlignment {
  /** Adds a provider. Providers allocate in the order of their addition. Must be called during set-up. */
  addProvider(provider: HintProvider): void;
}

/**
 * Reports whether a pod is desired, or may still run containers, so that it keeps the resources that are assigned to it. Before all sources are ready, each pod may
 * be desired.
 */
export function mayUseResources(
  core: Pick<AgentCore, 'sourcesReady' | 'mayRunContainers' | 'pods' | 'podStatus'>,
  podUid: string,
): boolean {
  if (!core.sourcesReady() || core.mayRunContainers(podUid)) return true;
  const pod = core.pods.get(podUid);
  return pod !== undefined && !isTerminalPhase((core.podStatus(podUid) ?? pod.status)?.phase);
}
