/** Part of a fleet that one process runs. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly count: number;
}

/** Parses `I/N`, such as `2/5`; `undefined` when it is none. */
export function parseShard(text: string): Shard | undefined {
  const [, index, count] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (index === undefined || count === undefined || index < 1 || index > count) return undefined;
  return { index, count };
}

/** Returns the indexes of a shard's nodes: consecutive ones, of which no two shards differ by more than one. */
export function indexesOf({ index, count }: Shard, nodes: number): readonly number[] {
  const first = Math.floor(((index - 1) * nodes) / count);
  const end = Math.floor((index * nodes) / count);
  return Array.from({ length: end - first }, (_, offset) => first + offset);
}

/** Divides a shard into parts, which are shards themselves. */
export function divideShard({ index, count }: Shard, parts: number): readonly Shard[] {
  return Array.from({ length: parts }, (_, part) => ({ index: (index - 1) * parts + part + 1, count: count * parts }));
}
