import type { Pod } from '@rxlet/kube-api';

/**
 * Returns amounts of a pod by name, such as its requests. Pure. It must be the same function for each sum of the same amounts, such as one of the module, because the
 * sums of a function are kept from its first use on.
 */
export type PodAmounts = (pod: Pod) => Readonly<Record<string, bigint>>;

/** Pods with which another pod shares the node, terminating ones included: always the present ones. */
export interface OtherPods {
  readonly count: number;
  /** Returns all of them. On a node of thousands of pods, prefer {@link OtherPods.count} and {@link OtherPods.sum}, whose cost does not depend on their number. */
  list(): readonly Pod[];
  /** Returns the sum of an amount of all of them. A pod without the amount counts as 0. @throws whatever `amountsOf` throws */
  sum(amountsOf: PodAmounts, name: string): bigint;
}

/** Returns a fixed list of pods as {@link OtherPods}. Each sum is computed when it is needed. */
export function otherPods(pods: readonly Pod[]): OtherPods {
  return {
    count: pods.length,
    list: () => pods,
    sum: (amountsOf, name) => pods.reduce((sum, pod) => sum + (amountsOf(pod)[name] ?? 0n), 0n),
  };
}
