import { CacheError } from './cache-error.ts';
import type { KeptCopy } from './kept-copy.ts';

/** The copies that go first into a cache of bounded size; the others follow by size, small ones first. */
const FIRST: readonly string[] = ['nodes', 'runtimeclasses', 'pods'];

/** Text of a cache, and how many copies had no room in it. */
export interface CacheText {
  readonly text: string;
  readonly omitted: number;
}

/** Returns the text of copies, of `maxBytes` at most. */
export function formatCache(copies: readonly KeptCopy[], maxBytes: number): CacheText {
  const rank = ({ plural }: KeptCopy): number => (FIRST.includes(plural) ? FIRST.indexOf(plural) : FIRST.length);
  const texts = copies
    .map((copy) => {
      const text = JSON.stringify(copy);
      return { rank: rank(copy), text, bytes: Buffer.byteLength(text) + ','.length };
    })
    .sort((a, b) => a.rank - b.rank || a.bytes - b.bytes);
  const taken: string[] = [];
  let size = '[]'.length;
  for (const { text, bytes } of texts) {
    if (size + bytes > maxBytes) continue;
    size += bytes;
    taken.push(text);
  }
  return { text: `[${taken.join(',')}]`, omitted: texts.length - taken.length };
}

/** Parses what {@link formatCache} returned. @throws CacheError for anything else */
export function parseCache(text: string): readonly KeptCopy[] {
  const copies = parseJson(text);
  if (Array.isArray(copies) && copies.every(isCopy)) return copies;
  throw new CacheError('its content is not that of an offline cache');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isCopy(value: unknown): value is KeptCopy {
  const { plural, namespace = '', fieldSelector = '', objects } = (value ?? {}) as Partial<KeptCopy>;
  const isText = [plural, namespace, fieldSelector].every((part) => typeof part === 'string');
  return isText && Array.isArray(objects) && objects.every((object) => typeof object === 'object' && object !== null);
}
