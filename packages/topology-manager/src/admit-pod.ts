import type { Container, Pod } from '@rxlet/kube-api';
import { noAffinity, type NumaHint, type ResourceHints } from '@rxlet/machine/topology';
import { podContainers } from '@rxlet/pod-model';
import { mergeHints } from './merge-hints.ts';
import type { TopologyPolicy } from './topology-policy.ts';

/** Part of an agent that assigns a resource to containers, such as CPUs, memory or devices. */
export interface HintProvider {
  /** Returns the NUMA nodes that could provide the resources of a container; `undefined` without a preference. */
  containerHints(pod: Pod, container: Container): ResourceHints | undefined;
  /** Returns the NUMA nodes that could provide the resources of all containers of a pod; `undefined` without a preference. */
  podHints(pod: Pod): ResourceHints | undefined;
  /** Assigns the resources of a container. A container that has its resources keeps them. Returns why that is impossible. */
  allocate(
    pod: Pod,
    container: Container,
    affinity: NumaHint,
  ): AllocationFailure | undefined | Promise<AllocationFailure | undefined>;
}

/** Why a container cannot get its resources. */
export interface AllocationFailure {
  /** Reason for the status of the pod; `undefined` for a failure that is not expected. */
  readonly reason?: string | undefined;
  readonly message: string;
}

/** Decision about a pod. */
export interface TopologyAdmission {
  /** Why the pod is rejected, as the reason and the message of its status. Callers must release what it got. */
  readonly rejection?: { readonly reason: string; readonly message: string } | undefined;
  /** NUMA nodes of the containers by name, until the first one that was rejected. */
  readonly affinities: ReadonlyMap<string, NumaHint>;
}

/** Aligns the resources of a pod by the policy, container after container, and makes the providers assign them in their order. */
export async function admitPod(
  policy: TopologyPolicy,
  pod: Pod,
  providers: readonly HintProvider[],
): Promise<TopologyAdmission> {
  const affinities = new Map<string, NumaHint>();
  const isAligned = policy.name !== 'none';
  const ofPod =
    isAligned && policy.scope === 'pod'
      ? mergeHints(
          policy,
          providers.map((provider) => provider.podHints(pod)),
        )
      : undefined;
  for (const { container } of podContainers(pod, ['init', 'regular'])) {
    const { hint, isAdmitted } =
      ofPod ??
      mergeHints(policy, isAligned ? providers.map((provider) => provider.containerHints(pod, container)) : []);
    if (!isAdmitted) return { rejection: notAligned, affinities };
    if (isAligned) affinities.set(container.name, hint);
    for (const provider of providers) {
      const failure = await provider.allocate(pod, container, affinities.get(container.name) ?? noAffinity);
      if (failure !== undefined) return { rejection: rejectionOf(failure), affinities };
    }
  }
  return { affinities };
}

const notAligned = {
  reason: 'TopologyAffinityError',
  message: 'Resources cannot be allocated with Topology locality',
};

function rejectionOf({ reason, message }: AllocationFailure): NonNullable<TopologyAdmission['rejection']> {
  if (reason !== undefined) return { reason, message };
  return { reason: 'UnexpectedAdmissionError', message: `Allocate failed due to ${message}, which is unexpected` };
}
