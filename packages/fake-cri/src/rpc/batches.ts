/** Maximum number of items in one message of a streamed list. */
const BATCH_SIZE = 100;

/** Returns the messages of a streamed list: `items` in batches, each wrapped by `wrap`; none when there are no items. */
export function* inBatches<T, M>(items: readonly T[], wrap: (batch: T[]) => M): Generator<M> {
  for (let start = 0; start < items.length; start += BATCH_SIZE) yield wrap(items.slice(start, start + BATCH_SIZE));
}
