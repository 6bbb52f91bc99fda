/**
 * Yields all choices of `size` items in the order of the list, as a kubelet enumerates them: some choices of four or more items share their memory, so that a
 * later choice overwrites one that was kept.
 */
export function* overwrittenCombinations(items: readonly number[], size: number): Generator<readonly number[]> {
  yield* extend(items, size, 0, { memory: [], length: 0, capacity: 0 });
}

/** List of Go: the first items of a memory that longer lists share. */
interface Slice {
  readonly memory: number[];
  readonly length: number;
  readonly capacity: number;
}

function* extend(items: readonly number[], size: number, start: number, slice: Slice): Generator<readonly number[]> {
  if (slice.length === size) {
    yield slice.memory;
    return;
  }
  for (let index = start; index <= items.length - (size - slice.length); index += 1)
    yield* extend(items, size, index + 1, append(slice, items[index]!));
}

/** Appends in place while there is room, and else to a copy with twice the capacity. */
function append({ memory, length, capacity }: Slice, item: number): Slice {
  const hasRoom = length < capacity;
  const target = hasRoom ? memory : memory.slice(0, length);
  target[length] = item;
  return { memory: target, length: length + 1, capacity: hasRoom ? capacity : Math.max(1, 2 * capacity) };
}
