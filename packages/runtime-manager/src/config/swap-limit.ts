import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import { quantityNumber } from '@rxlet/pod-model/quantity';
import { mayUseSwap } from '@rxlet/pod-model/resources';

/** Swap for containers (KubeletConfiguration `memorySwap`, with `swapBehavior: LimitedSwap`). */
export interface SwapSettings {
  /** Size of the node's swap. */
  readonly capacityBytes: bigint;
}

/**
 * Returns the swap that a container may use, in bytes: the share of the node's swap that its request is of the node's memory. Other containers than those of
 * {@link mayUseSwap} get none, and neither does one that requests more than the node has.
 */
export function swapLimitBytes(
  pod: Pod,
  container: Container | EphemeralContainer,
  { capacityBytes }: SwapSettings,
  memoryCapacityBytes: bigint,
): bigint {
  if (!mayUseSwap(pod, container)) return 0n;
  const request = quantityNumber(container.resources?.requests?.['memory']);
  const capacity = Number(memoryCapacityBytes);
  // Doubles, divided first: the kubelet rounds in the same way.
  return request > capacity ? 0n : BigInt(Math.trunc((request / capacity) * Number(capacityBytes)));
}
