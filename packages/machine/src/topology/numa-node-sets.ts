/**
 * Yields all sets of these NUMA nodes that are not empty, small ones first, and sets of one size in ascending order. Their number doubles with every node.
 */
export function* numaNodeSets(nodes: readonly number[]): Generator<readonly number[]> {
  for (let size = 1; size <= nodes.length; size += 1) yield* combinations(nodes, size);
}

/** Yields all choices of `size` items, in the order of the list. */
export function* combinations<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let index = 0; index + size <= items.length; index += 1)
    for (const rest of combinations(items.slice(index + 1), size - 1)) yield [items[index]!, ...rest];
}

/** Returns a number with one bit for each node. */
export function numaMask(nodes: Iterable<number>): bigint {
  let mask = 0n;
  for (const node of nodes) mask |= 1n << BigInt(node);
  return mask;
}

/** Compares sets of NUMA nodes: negative when the first has fewer nodes, or as many with lower ids. */
export function compareNumaNodes(left: readonly number[], right: readonly number[]): number {
  if (left.length !== right.length) return left.length - right.length;
  const [leftMask, rightMask] = [numaMask(left), numaMask(right)];
  if (leftMask === rightMask) return 0;
  return leftMask < rightMask ? -1 : 1;
}
