import type { Pod, Quantity } from '@rxlet/kube-api';
import { parseQuantity, quantityMilliValue, quantityNumber, quantityValue } from '@rxlet/pod-model/quantity';
import { podRequests } from '@rxlet/pod-model/resources';

/** Amounts of resources. */
export interface Amounts {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

/** Returns an amount in the units of {@link Amounts}. */
export function amountOf(text: Quantity | undefined, name: 'cpu' | 'memory'): number {
  if (text === undefined) return 0;
  return name === 'cpu' ? Number(quantityMilliValue(parseQuantity(text))) : quantityNumber(text);
}

/** Returns what a pod requests. */
export function requestsOf(pod: Pod): Amounts {
  const { cpu, memory } = podRequests(pod);
  return {
    cpuMillis: cpu === undefined ? 0 : Number(quantityMilliValue(cpu)),
    memoryBytes: memory === undefined ? 0 : Number(quantityValue(memory)),
  };
}
