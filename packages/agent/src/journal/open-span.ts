import type {
  JournalAttributes,
  JournalEntry,
  JournalPod,
  PodIdentity,
  Span,
  SpanStart,
} from '@rxlet/agent-api/journal';

/** A span of the recorder that has not ended. */
export interface OpenSpan {
  readonly id: string;
  readonly pod: PodIdentity;
  /** Absent for the root span. */
  readonly parent?: OpenSpan | undefined;
  readonly start: Omit<SpanStart, 'kind' | 'within'> & { readonly kind: string };
  readonly atMs: number;
  /** Absent before the first: most spans have none. */
  children?: Set<OpenSpan>;
  isRecorded: boolean;
  isEnded: boolean;
  /** Latest attributes that were not passed on. */
  pending?: JournalAttributes | undefined;
  updatedAtMs: number;
  /** Attributes of the last report, of a wait that is reported again and again. */
  reported?: JournalAttributes | undefined;
}

/** The life of a pod, as far as the recorder needs it. Bounded by the spans that are open. */
export interface PodLife {
  readonly root: OpenSpan;
  phase?: OpenSpan | undefined;
  /** Waits that are reported again and again, by their keys. */
  readonly held: Map<string, OpenSpan>;
}

/** A span as the recorder returned it. */
export interface SpanHandle extends Span {
  readonly open: OpenSpan;
}

/** Returns the recorder's state of a span; `undefined` for a span of another journal. */
export function openSpanOf(span: Span): OpenSpan | undefined {
  return (span as Partial<SpanHandle>).open;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Returns the entry with which a span begins. */
export function beginEntry(span: OpenSpan): JournalEntry {
  const { id, parent, start, pod, atMs } = span;
  const { kind, container, subject } = start;
  const attributes = span.pending ?? start.attributes;
  // Member by member: this runs for each span, and spreads of options cost several times as much.
  const entry: Mutable<Extract<JournalEntry, { type: 'begin' }>> = { type: 'begin', id, uid: pod.uid, atMs, kind };
  if (parent !== undefined) entry.parentId = parent.id;
  else Object.assign(entry, { namespace: pod.namespace, name: pod.name });
  if (container !== undefined) entry.container = container;
  if (subject !== undefined) entry.subject = subject;
  if (attributes !== undefined) entry.attributes = attributes;
  return entry;
}

/** Returns the identity of a pod whose life may begin: one with a name. */
export function identityOf({ uid = '', namespace, name }: JournalPod): PodIdentity | undefined {
  return uid === '' || namespace === undefined || name === undefined ? undefined : { uid, namespace, name };
}
