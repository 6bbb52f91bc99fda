import type { AdmissionRejection } from '@rxlet/agent-api';

/** Reason for which a pod does not fit the node. */
export type AdmissionFailure = InsufficientResource | FailedPredicate;

/** A resource of which the node has too little left. CPU is counted in thousandths, everything else in units of the resource. */
export interface InsufficientResource {
  readonly kind: 'insufficient-resource';
  readonly resource: string;
  readonly requested: bigint;
  readonly used: bigint;
  readonly capacity: bigint;
}

/** A property of the node that does not match the pod. */
export interface FailedPredicate {
  readonly kind: 'predicate';
  /** Name of the scheduler's predicate, such as `NodePorts`. */
  readonly name: string;
  readonly message: string;
}

/** Returns reason and message of a failure in the kubelet's words. */
export function toRejection(failure: AdmissionFailure): AdmissionRejection {
  if (failure.kind === 'predicate')
    return { reason: failure.name, message: `Predicate ${failure.name} failed: ${failure.message}` };
  const { resource, requested, used, capacity } = failure;
  return {
    reason: `OutOf${resource}`,
    message: `Node didn't have enough resource: ${resource}, requested: ${String(requested)}, used: ${String(used)}, capacity: ${String(capacity)}`,
  };
}
