import type { Pod } from '@rxlet/kube-api';
import { isTerminalPhase, podFullName } from '@rxlet/pod-model';
import type { RuntimePod } from '@rxlet/pod-model/runtime';
import type { TerminationRequest } from './termination-request.ts';

/** Subject of a worker: a pod with its spec, or an orphaned pod in the runtime. */
export type PodSubject =
  { readonly kind: 'pod'; readonly pod: Pod } | { readonly kind: 'runtime'; readonly pod: RuntimePod };

/** Returns the pod's object, if there is one. */
export function podOf(subject: PodSubject): Pod | undefined {
  return subject.kind === 'pod' ? subject.pod : undefined;
}

/** Returns `name_namespace`. */
export function fullNameOf(subject: PodSubject): string {
  return subject.kind === 'pod' ? podFullName(subject.pod) : `${subject.pod.name}_${subject.pod.namespace}`;
}

/**
 * Returns the termination that a subject itself demands: the pod is being deleted, its phase is terminal, or it is orphaned and gets the kubelet's grace
 * period of one second. `undefined` for a pod that must run.
 */
export function demandedTermination(subject: PodSubject): TerminationRequest | undefined {
  if (subject.kind === 'runtime') return { reason: 'orphaned', gracePeriodSeconds: 1 };
  const { metadata, status } = subject.pod;
  if (metadata?.deletionTimestamp !== undefined) return { reason: 'deleted' };
  return isTerminalPhase(status?.phase) ? { reason: 'completed' } : undefined;
}
