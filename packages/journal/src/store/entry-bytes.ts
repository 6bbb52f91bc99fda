import type { JournalEntry } from '@rxlet/agent-api/journal';

/** Length of an entry with short texts, as JSON. */
const ENTRY_BYTES = 250;

/** Returns about the length of an entry as JSON, by which the memory of entries that wait is bounded. */
export function entryBytes(entry: JournalEntry): number {
  let bytes = ENTRY_BYTES;
  if (entry.type !== 'begin' && entry.type !== 'update') bytes += entry.outcome?.message?.length ?? 0;
  for (const key in entry.attributes) {
    const value = entry.attributes[key];
    if (typeof value === 'string') bytes += value.length;
  }
  return bytes;
}
