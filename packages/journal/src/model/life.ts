import type { JournalAttributes, SpanOutcome } from '@rxlet/agent-api/journal';

/** A span of a pod's life. Times are epoch milliseconds. A fact is a span that ends as it begins. */
export interface JournalSpan {
  /** 16 hexadecimal digits, unique within the node. */
  readonly id: string;
  /** The span around it. Absent for the root span. */
  readonly parentId?: string;
  /** One of PHASES, WAITS or FACTS of @rxlet/agent-api/journal, `pod` for the root span, or `module/kind` of a module. */
  readonly kind: string;
  readonly container?: string;
  readonly subject?: string;
  readonly startMs: number;
  /** Absent while the span is open. */
  readonly endMs?: number;
  readonly attributes?: JournalAttributes;
  /** Identity of a fact that is recorded once. */
  readonly once?: string;
  /** Absent while the span is open, and for a fact that cannot fail. */
  readonly outcome?: SpanOutcome;
}

/** The life of a pod on this node, from its first appearance until the node has cleaned up after it. */
export interface Life {
  /** Identity of the life, that of its root span. A static pod that comes back under its UID begins a new life. */
  readonly id: string;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly startMs: number;
  /** Absent while the pod is on the node. */
  readonly endMs?: number;
  /** Spans in the order in which they began; the first one is the root span, and a span comes after the span around it. */
  readonly spans: readonly JournalSpan[];
  /** Number of spans that were dropped, the oldest first, to keep the life within its bound. */
  readonly droppedSpans: number;
}

/** Bound of one life, in bytes of its spans as JSON, about. */
export const MAX_LIFE_BYTES: number = 32 * 1024;
