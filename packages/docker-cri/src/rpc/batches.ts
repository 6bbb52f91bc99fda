/** Largest number of items in one message of a streamed list. */
const BATCH_SIZE = 100;

/** Splits the items of a streamed list into messages; none when there are no items. */
export function* inBatches<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += BATCH_SIZE) yield items.slice(start, start + BATCH_SIZE);
}
