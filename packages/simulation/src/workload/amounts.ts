import type { Pod, Quantity } from '@rxlet/kube-api';
import { parseQuantity, quantityMilliValue, quantityNumber } from '@rxlet/pod-model/quantity';

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

/** Returns the sum of what the containers of a pod request. */
export function requestsOf({ spec }: Pod): Amounts {
  const sum = (name: 'cpu' | 'memory'): number =>
    (spec?.containers ?? []).reduce((total, { resources }) => total + amountOf(resources?.requests?.[name], name), 0);
  return { cpuMillis: sum('cpu'), memoryBytes: sum('memory') };
}
