import type { JournalEntry } from '@rxlet/agent-api/journal';
import type { JournalSpan, Life } from '../model/life.ts';

/** A line of the journal's file: the start of an agent, a life as it was then, or an entry after that. */
export type JournalLine =
  | { readonly type: 'agent'; readonly atMs: number }
  | { readonly type: 'life'; readonly life: Life }
  | { readonly type: 'entry'; readonly entry: JournalEntry };

/** Returns a line, with its line end. */
export function formatLine(line: JournalLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** Returns the lines of a file. A line that is torn or damaged is left out. */
export function parseLines(text: string): readonly JournalLine[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : (parseLine(line) ?? [])));
}

function parseLine(text: string): JournalLine | undefined {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(line)) return undefined;
  const { type, life, entry, atMs } = line;
  if (type === 'agent' && isTime(atMs)) return { type, atMs };
  if (type === 'life' && isLife(life)) return { type, life };
  if (type === 'entry' && isEntry(entry)) return { type, entry };
  return undefined;
}

function isLife(value: unknown): value is Life {
  if (!isObject(value)) return false;
  const { id, uid, namespace, name, startMs, spans, droppedSpans } = value;
  if (![id, uid, namespace, name].every(isText) || !isTime(startMs) || typeof droppedSpans !== 'number') return false;
  if (!Array.isArray(spans)) return false;
  const [root, ...others] = spans as readonly unknown[];
  if (!isSpan(root) || root.id !== id || root.parentId !== undefined) return false;
  const known = new Set([root.id]);
  return others.every((span) => {
    if (!isSpan(span) || span.parentId === undefined || !known.has(span.parentId)) return false;
    known.add(span.id);
    return true;
  });
}

function isSpan(value: unknown): value is JournalSpan {
  if (!isObject(value)) return false;
  const { id, kind, startMs, endMs, attributes, outcome } = value;
  return (
    isText(id) &&
    isText(kind) &&
    isTime(startMs) &&
    (endMs === undefined || isTime(endMs)) &&
    (attributes === undefined || isObject(attributes)) &&
    (outcome === undefined || isObject(outcome))
  );
}

function isEntry(value: unknown): value is JournalEntry {
  if (!isObject(value)) return false;
  const { type, id, uid, atMs, kind, attributes, outcome } = value;
  if (!isText(id) || !isText(uid) || !isTime(atMs)) return false;
  switch (type) {
    case 'begin':
    case 'fact':
      return isText(kind);
    case 'update':
      return isObject(attributes);
    case 'end':
      return isObject(outcome);
    default:
      return false;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
