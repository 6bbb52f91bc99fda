import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import { isCriticalPod } from './pod-kind.ts';
import { podQosClass } from './qos.ts';
import { quantityNumber } from './quantity.ts';

/**
 * Reports whether a container may use swap on a node with `LimitedSwap`: it requests less memory than its limit, in a Burstable pod that is not critical (KEP-2400).
 */
export function mayUseSwap(pod: Pod, { resources }: Pick<Container | EphemeralContainer, 'resources'>): boolean {
  const request = quantityNumber(resources?.requests?.['memory']);
  const limit = quantityNumber(resources?.limits?.['memory']);
  return request !== limit && podQosClass(pod) === 'Burstable' && !isCriticalPod(pod);
}
