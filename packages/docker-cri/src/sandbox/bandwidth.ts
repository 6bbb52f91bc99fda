import { quantityNumber } from '@rxlet/pod-model/quantity';

/** Smallest and largest bandwidth that Kubernetes accepts, in bits a second. */
const MIN_BITS = 1_000;
const MAX_BITS = 1_000_000_000_000_000;

/** Returns the bits a second of a bandwidth annotation such as `10M`. Throws QuantityError, or RangeError for a value that no network can have. */
export function bitsPerSecond(quantity: string): number {
  const bits = quantityNumber(quantity);
  if (bits < MIN_BITS) throw new RangeError(`${quantity} is less than 1k`);
  if (bits > MAX_BITS) throw new RangeError(`${quantity} is more than 1P`);
  return bits;
}
