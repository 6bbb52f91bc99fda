import type { Pod } from '@rxlet/kube-api';
import { type AllocationFailure, type HintProvider, noAffinity, type NumaHint } from '@rxlet/agent-api/topology';
import { podContainers } from '@rxlet/pod-model';
import { mergeHints } from './merge-hints.ts';
import type { TopologyPolicy } from './topology-policy.ts';

/** Decision about a pod. */
export interface TopologyAdmission {
  /** Why the pod is rejected, as the reason and the message of its status. What it got stays assigned until the providers release it. */
  readonly rejection?: { readonly reason: string; readonly message: string } | undefined;
  /** NUMA nodes of the containers by name, until the first one that was rejected. */
  readonly affinities: ReadonlyMap<string, NumaHint>;
}

/**
 * Aligns the resources of a pod by the policy, container after container, and makes the providers assign them in their order.
 *
 * @param signal aborts when the decision is no longer needed
 */
export async function admitPod(
  policy: TopologyPolicy,
  pod: Pod,
  providers: readonly HintProvider[],
  signal?: AbortSignal,
): Promise<TopologyAdmission> {
  const affinities = new Map<string, NumaHint>();
  const { numaNodes } = policy;
  const isAligned = policy.name !== 'none';
  const ofPod =
    isAligned && policy.scope === 'pod'
      ? mergeHints(
          policy,
          providers.map((provider) => provider.podHints(pod, numaNodes)),
        )
      : undefined;
  for (const { container } of podContainers(pod, ['init', 'regular'])) {
    const { hint, isAdmitted } =
      ofPod ??
      mergeHints(
        policy,
        isAligned ? providers.map((provider) => provider.containerHints(pod, container, numaNodes)) : [],
      );
    if (!isAdmitted) return { rejection: notAligned, affinities };
    if (isAligned) affinities.set(container.name, hint);
    for (const provider of providers) {
      const affinity = affinities.get(container.name) ?? noAffinity;
      const failure = await provider.allocate(pod, container, affinity, signal);
      if (failure !== undefined) return { rejection: rejectionOf(failure), affinities };
    }
  }
  return { affinities };
}

/** Reason of a pod whose resources cannot be aligned. */
export const NOT_ALIGNED = 'TopologyAffinityError';

const notAligned = {
  reason: NOT_ALIGNED,
  message: 'Resources cannot be allocated with Topology locality',
};

function rejectionOf({ reason, message }: AllocationFailure): NonNullable<TopologyAdmission['rejection']> {
  if (reason !== undefined) return { reason, message };
  return { reason: 'UnexpectedAdmissionError', message: `Allocate failed due to ${message}, which is unexpected` };
}
