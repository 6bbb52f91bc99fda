import type { Pod } from '@rxlet/kube-api';
import { isTerminalPhase, podFullName, type RuntimePod } from '@rxlet/pod-model';
import type { TerminationRequest } from './pod-worker-state.ts';

/** Whom a worker works for: a pod with its spec, or what the runtime still holds of a pod that nobody knows. */
export type PodSubject =
  { readonly kind: 'pod'; readonly pod: Pod } | { readonly kind: 'runtime'; readonly pod: RuntimePod };

/** The pod's object, if there is one. */
export function podOf(subject: PodSubject): Pod | undefined {
  return subject.kind === 'pod' ? subject.pod : undefined;
}

/** `name_namespace`. */
export function fullNameOf(subject: PodSubject): string {
  return subject.kind === 'pod' ? podFullName(subject.pod) : `${subject.pod.name}_${subject.pod.namespace}`;
}

/**
 * The end that a subject itself asks for: the pod is being deleted, its phase is terminal, or only the runtime knows it, and then a second of grace is
 * enough for what nobody wants. `undefined` for a pod that is to run.
 */
export function terminationAskedFor(subject: PodSubject): TerminationRequest | undefined {
  if (subject.kind === 'runtime') return { reason: 'orphaned', gracePeriodSeconds: 1 };
  const { metadata, status } = subject.pod;
  if (metadata?.deletionTimestamp !== undefined) return { reason: 'deleted' };
  return isTerminalPhase(status?.phase) ? { reason: 'completed' } : undefined;
}
