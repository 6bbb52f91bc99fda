import type { Pod } from '@rxlet/kube-api';
import { podQosClass } from '@rxlet/pod-model';
import { isDecrease } from './resize-fit.ts';

/** A resize that waits for its decision. */
export interface WaitingResize {
  readonly desired: Pod;
  readonly allocated: Pod;
  /** Since when the resize is put off, epoch milliseconds; `undefined` before the first decision. */
  readonly deferredSinceMs: number | undefined;
}

/**
 * Returns resizes in the order of their decisions: first those that free resources, then by priority, Guaranteed pods before others, and those that wait longest.
 */
export function orderResizes(resizes: readonly WaitingResize[]): readonly WaitingResize[] {
  return resizes.toSorted(
    (left, right) =>
      rank(!frees(left), !frees(right)) ||
      (right.desired.spec?.priority ?? 0) - (left.desired.spec?.priority ?? 0) ||
      rank(podQosClass(left.desired) !== 'Guaranteed', podQosClass(right.desired) !== 'Guaranteed') ||
      sinceMs(left) - sinceMs(right) ||
      0,
  );
}

function frees({ desired, allocated }: WaitingResize): boolean {
  return isDecrease(desired, allocated);
}

function rank(left: boolean, right: boolean): number {
  return Number(left) - Number(right);
}

/** A resize without a decision comes last. */
function sinceMs({ deferredSinceMs }: WaitingResize): number {
  return deferredSinceMs ?? Number.MAX_SAFE_INTEGER;
}
