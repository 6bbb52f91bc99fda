import type { PersistentVolumeClaim, Quantity } from '@rxlet/kube-api';
import { compareQuantities, parseQuantity } from '@rxlet/pod-model/quantity';

/** Part of a node in the expansion of a claim's volume. */
export type ExpansionPlan =
  /** Nothing: the size has been reached. */
  | { readonly kind: 'reached'; readonly size: Quantity }
  /** Nothing yet: the controller has not come to the node's part, or the expansion is infeasible. */
  | { readonly kind: 'wait' }
  | ExpandPlan;

/** An expansion of a volume on this node. */
export interface ExpandPlan {
  readonly kind: 'expand';
  readonly size: Quantity;
  /** Progress and failures are reported in the status of the claim. Controllers of earlier versions do not know them. */
  readonly reportsProgress: boolean;
  /** The status of the claim has the size already: another node has expanded the volume. */
  readonly isReported: boolean;
  /** The user has asked for another size meanwhile, so that the controller must take over after a failure. */
  readonly isInfeasibleOnFailure: boolean;
}

const STORAGE = 'storage';
const NOT_REQUIRED = 'volume.kubernetes.io/node-expansion-not-required';
const NODE_STEPS: readonly string[] = ['NodeResizePending', 'NodeResizeInProgress'];

/**
 * Plans the expansion of a claim's volume (kubelet: NodeExpander.runPreCheck, with RecoverVolumeExpansionFailure).
 *
 * @param capacity size of the persistent volume
 * @param hasFailed whether an expansion of the volume on this node has failed for good
 */
export function planExpansion(
  { metadata, spec, status }: PersistentVolumeClaim,
  capacity: Quantity,
  hasFailed: boolean,
): ExpansionPlan {
  const step = status?.allocatedResourceStatuses?.[STORAGE] ?? '';
  const reached = status?.capacity?.[STORAGE];
  if (step === '' && status?.allocatedResources === undefined) {
    const isReported = !isLess(reached, capacity);
    return { kind: 'expand', size: capacity, reportsProgress: false, isReported, isInfeasibleOnFailure: false };
  }
  const size = status?.allocatedResources?.[STORAGE] ?? '0';
  const isReported = step === '' && !isLess(reached, size);
  const isShared = spec?.accessModes?.includes('ReadWriteMany') === true;
  const isOnEachNode = isReported && isShared && metadata?.annotations?.[NOT_REQUIRED] === undefined;
  if (!isOnEachNode && !NODE_STEPS.includes(step)) return isReported ? { kind: 'reached', size } : { kind: 'wait' };
  const requested = spec?.resources?.requests?.[STORAGE] ?? '0';
  const isInfeasibleOnFailure = hasFailed && compareQuantities(parseQuantity(requested), parseQuantity(size)) !== 0;
  return { kind: 'expand', size, reportsProgress: true, isReported, isInfeasibleOnFailure };
}

/** Reports whether a size is less than another; a missing one is zero. */
export function isLess(size: Quantity | undefined, other: Quantity | undefined): boolean {
  return compareQuantities(parseQuantity(size ?? '0'), parseQuantity(other ?? '0')) < 0;
}
