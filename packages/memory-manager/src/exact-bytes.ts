import { compareQuantities, makeQuantity, parseQuantity, quantityValue } from '@rxlet/pod-model/quantity';

/** Returns a quantity as a number of bytes; `undefined` when it is no integer, or too large. */
export function exactBytes(text: string | number): number | undefined {
  const quantity = parseQuantity(text);
  const value = quantityValue(quantity);
  const isExact = compareQuantities(quantity, makeQuantity(value)) === 0;
  return isExact && Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
}
