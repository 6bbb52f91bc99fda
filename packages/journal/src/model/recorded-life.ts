import type { JournalAttributes, JournalEntry, SpanOutcome } from '@rxlet/agent-api/journal';
import { type JournalSpan, type Life, MAX_LIFE_BYTES } from './life.ts';

/** A life that entries are applied to. The same code runs in the agent and in its readers, so that both have the same spans. */
export interface RecordedLife {
  readonly id: string;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly isEnded: boolean;
  readonly endMs: number | undefined;
  /** Applies an entry of this pod. Entries of unknown or ended spans are ignored. */
  apply(entry: JournalEntry): void;
  /** Ends the open spans other than the root span as interrupted: the agent that reported them is gone. */
  interrupt(atMs: number): void;
  snapshot(): Life;
}

type MutableSpan = { -readonly [K in keyof JournalSpan]: JournalSpan[K] };

/** Largest number of open spans. Further ones are dropped: the author of a pod decides how much it waits for at the same time. */
export const MAX_OPEN_SPANS: number = 1_000;

/** Longest text of an attribute and of a message; the rest is cut off. */
const MAX_TEXT_LENGTH = 2_048;

/** Returns the life that begins with this entry of a root span. */
export function beginLife(entry: Extract<JournalEntry, { type: 'begin' }>): RecordedLife {
  const { id, uid, namespace = '', name = '', atMs } = entry;
  return restoreLife({
    id,
    uid,
    namespace,
    name,
    startMs: atMs,
    spans: [{ id, kind: entry.kind, startMs: atMs }],
    droppedSpans: 0,
  });
}

/** Returns a life that continues from a snapshot. */
export function restoreLife(life: Life): RecordedLife {
  const { id: rootId, uid, namespace, name, startMs } = life;
  const spans = new Map<string, MutableSpan>(life.spans.map((span) => [span.id, { ...span }]));
  /** Identities under which agents that run later know the root span. */
  const rootIds = new Set([rootId]);
  const open = new Set([...spans.values()].filter(({ endMs }) => endMs === undefined));
  let { droppedSpans } = life;
  /** Latest end of a span, to which the end of the next one is compared. */
  let latestEndMs = life.spans.reduce((latest, { endMs = 0 }) => Math.max(latest, endMs), 0);
  let bytes = life.spans.reduce((sum, span) => sum + sizeOf(span), 0);

  const root = spans.get(rootId)!;
  const replace = (span: MutableSpan, change: Partial<MutableSpan>): void => {
    bytes -= sizeOf(span);
    Object.assign(span, change);
    bytes += sizeOf(span);
  };
  /** Ends a span whose inner spans have ended. The clock of the node may have been set back. */
  const end = (span: MutableSpan, atMs: number, outcome: SpanOutcome): void => {
    if (span.endMs !== undefined) return;
    open.delete(span);
    let endMs = Math.max(atMs, span.startMs);
    if (endMs < latestEndMs) {
      for (const { parentId, endMs: innerMs = 0 } of spans.values())
        if (parentId === span.id) endMs = Math.max(endMs, innerMs);
    }
    latestEndMs = Math.max(latestEndMs, endMs);
    span.endMs = endMs;
    span.outcome = withoutExcess(outcome);
    bytes += sizeOfOutcome(span.outcome);
  };
  /** Ends the open spans for which it is asked as interrupted, inner ones first. */
  const interruptOpen = (atMs: number, isMeant: (span: MutableSpan) => boolean): void => {
    const meant: MutableSpan[] = [];
    for (const span of open) if (isMeant(span)) meant.push(span);
    for (const span of meant.reverse()) end(span, atMs, { result: 'interrupted' });
  };
  const drop = (id: string): void => {
    const span = spans.get(id)!;
    bytes -= sizeOf(span);
    spans.delete(id);
    droppedSpans += 1;
    for (const [childId, { parentId }] of spans) if (parentId === id) drop(childId);
  };
  const oldestEnded = (): MutableSpan | undefined => {
    for (const span of spans.values()) if (span.id !== rootId && span.endMs !== undefined) return span;
    return undefined;
  };
  /** Drops the oldest spans that have ended. Open ones stay. */
  const shrink = (): void => {
    while (bytes > MAX_LIFE_BYTES) {
      const oldest = oldestEnded();
      if (oldest === undefined) return;
      drop(oldest.id);
    }
  };
  const hasFact = (kind: string, once: string): boolean => {
    for (const span of spans.values()) if (span.once === once && span.kind === kind) return true;
    return false;
  };
  const add = (span: MutableSpan): void => {
    spans.set(span.id, span);
    if (span.endMs === undefined) open.add(span);
    bytes += sizeOf(span);
    shrink();
  };

  return {
    id: rootId,
    uid,
    namespace,
    name,
    get isEnded() {
      return root.endMs !== undefined;
    },
    get endMs() {
      return root.endMs;
    },
    apply(entry) {
      const { id, atMs } = entry;
      if (entry.type === 'begin' || entry.type === 'fact') {
        if (entry.parentId === undefined) {
          rootIds.add(id);
          return;
        }
        if (spans.has(id)) return;
        if (entry.type === 'begin' && open.size > MAX_OPEN_SPANS) {
          droppedSpans += 1;
          return;
        }
        if (entry.type === 'fact' && entry.once !== undefined && hasFact(entry.kind, entry.once)) return;
        const around = rootIds.has(entry.parentId) ? root : spans.get(entry.parentId);
        // A span around it that is gone from the bounded life has the root span in its place.
        const parent = around?.endMs === undefined ? (around ?? root) : root;
        const spanStartMs = Math.max(atMs, parent.startMs);
        const { kind, container, subject, attributes } = entry;
        // Member by member: this runs for each entry, and spreads of options cost several times as much.
        const span: MutableSpan = { id, parentId: parent.id, kind, startMs: spanStartMs };
        if (container !== undefined) span.container = container;
        if (subject !== undefined) span.subject = subject;
        if (attributes !== undefined) span.attributes = shortened(attributes);
        if (entry.type === 'fact') {
          span.endMs = spanStartMs;
          latestEndMs = Math.max(latestEndMs, spanStartMs);
          if (entry.outcome !== undefined) span.outcome = withoutExcess(entry.outcome);
          if (entry.once !== undefined) span.once = entry.once;
        }
        add(span);
        return;
      }
      const span = rootIds.has(id) ? root : spans.get(id);
      if (span === undefined || span.endMs !== undefined) return;
      if (entry.attributes !== undefined) {
        replace(span, { attributes: { ...span.attributes, ...shortened(entry.attributes) } });
      }
      if (entry.type === 'end') {
        if (open.size > 1) interruptOpen(atMs, (inner) => inner !== span && isWithin(spans, inner, span.id));
        end(span, atMs, entry.outcome);
      }
      shrink();
    },
    interrupt(atMs) {
      interruptOpen(atMs, ({ id }) => id !== rootId);
      shrink();
    },
    snapshot: () => {
      const { endMs } = root;
      return {
        id: rootId,
        uid,
        namespace,
        name,
        startMs,
        ...(endMs !== undefined && { endMs }),
        spans: Array.from(spans.values(), (span) => ({ ...span })),
        droppedSpans,
      };
    },
  };
}

function isWithin(spans: ReadonlyMap<string, JournalSpan>, span: JournalSpan, id: string): boolean {
  for (let parentId = span.parentId; parentId !== undefined; parentId = spans.get(parentId)?.parentId) {
    if (parentId === id) return true;
  }
  return false;
}

/** Fixed part of a span as JSON: names of members, times. */
const SPAN_BYTES = 120;

/** Returns about the length of a span as JSON. It is needed for every change, so it is not formatted. */
function sizeOf({
  id,
  parentId = '',
  kind,
  container = '',
  subject = '',
  once = '',
  attributes,
  outcome,
}: JournalSpan): number {
  let bytes = SPAN_BYTES + id.length + parentId.length + kind.length + container.length + subject.length + once.length;
  for (const key in attributes) {
    const value = attributes[key];
    bytes += key.length + 6 + (typeof value === 'string' ? value.length : 16);
  }
  return outcome === undefined ? bytes : bytes + sizeOfOutcome(outcome);
}

function sizeOfOutcome({ reason = '', message = '', code = '' }: SpanOutcome): number {
  return 80 + reason.length + message.length + code.length;
}

function shortened(attributes: JournalAttributes): JournalAttributes {
  const isLong = Object.values(attributes).some((value) => typeof value === 'string' && value.length > MAX_TEXT_LENGTH);
  if (!isLong) return attributes;
  const entries = Object.entries(attributes);
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? cut(value) : value]));
}

function withoutExcess(outcome: SpanOutcome): SpanOutcome {
  return outcome.message === undefined || outcome.message.length <= MAX_TEXT_LENGTH
    ? outcome
    : { ...outcome, message: cut(outcome.message) };
}

function cut(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH)}…`;
}
