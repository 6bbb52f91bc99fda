import { errorMessage } from '@rxlet/component-base';
import { callErrorCode, callErrorText, statusCodeName } from '@rxlet/cri-api';
import type { JournalAttributes, SpanOutcome } from './journal-entry.ts';
import type { FactKind, PhaseKind, WaitKind } from './journal-kinds.ts';

/** The metadata of a pod, as far as the journal needs it. Without name and namespace only a pod that the journal has already is found. */
export interface JournalPod {
  readonly uid?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** Identity of a held wait within its pod. */
export interface SpanKey {
  /** One of the known kinds, or `module/kind` of a module. */
  readonly kind: WaitKind | PhaseKind | `${string}/${string}`;
  /** Container that the span concerns. */
  readonly container?: string | undefined;
  /** The thing that the span concerns within the pod: a volume, an image, a step, a handler. */
  readonly subject?: string | undefined;
}

/** Beginning of a span. */
export interface SpanStart extends SpanKey {
  readonly attributes?: JournalAttributes | undefined;
  /** The span around it. `life`: the pod's root span. Default: the open phase of the pod, or else its root span. */
  readonly within?: Span | 'life' | undefined;
  /** Whether the span is recorded only if it fails, has a child, or lasts for {@link QUIET_MS}. For checks that mostly have nothing to do. Default: no. */
  readonly isQuiet?: boolean | undefined;
}

/** A change without a duration. */
export interface JournalFact extends Omit<SpanKey, 'kind'> {
  readonly kind: FactKind | `${string}/${string}`;
  readonly attributes?: JournalAttributes | undefined;
  readonly outcome?: SpanOutcome | undefined;
  readonly within?: Span | 'life' | undefined;
  /** Identity of the fact: of several with the same one, a life keeps the first, also across restarts of the agent. */
  readonly once?: string | undefined;
}

/** A span that has begun. */
export interface Span {
  /** Replaces single attributes, such as the progress of a pull. Frequent updates are combined. */
  update(attributes: JournalAttributes): void;
  /** Ends the span, and spans within it that are still open as `interrupted`. Later calls have no effect. Default outcome: `ok`. */
  end(outcome?: SpanOutcome): void;
}

/** Records what happens to pods. Parts report where they know it. No call throws or waits, and without a sink none has a cost. */
export interface Journal {
  /** Whether there is a sink. Parts that must keep books to report something skip them without one. */
  readonly isRecording: boolean;
  /** Begins a span. */
  begin(pod: JournalPod | undefined, start: SpanStart): Span;
  /** Records a fact. */
  record(pod: JournalPod | undefined, fact: JournalFact): void;
  /** Begins a wait that is reported again and again, such as a back-off, or updates the attributes of the one that is open for the same key. */
  hold(pod: JournalPod | undefined, start: SpanStart): void;
  /** Ends the wait of {@link hold}, if one is open. */
  release(pod: JournalPod | undefined, key: SpanKey, outcome?: SpanOutcome): void;
}

/** The span of a journal without sinks. */
export const noopSpan: Span = { update: () => undefined, end: () => undefined };

/** A journal that records nothing: the default of parts that are used without an agent. */
export const noopJournal: Journal = {
  isRecording: false,
  begin: () => noopSpan,
  record: () => undefined,
  hold: () => undefined,
  release: () => undefined,
};

/** Returns the outcome of a failure, with the code of a failed CRI call. A `reason` of the error itself wins. */
export function failedOutcome(error: unknown, reason?: string): SpanOutcome {
  const cause = causeWithCode(error);
  const code = callErrorCode(cause);
  const own = (error as { readonly reason?: unknown } | null | undefined)?.reason;
  const stated = typeof own === 'string' ? own : reason;
  const message = error === cause && code !== undefined ? callErrorText(error) : errorMessage(error);
  return {
    result: 'failed',
    ...(stated !== undefined && { reason: stated }),
    message,
    ...(code !== undefined && { code: statusCodeName(code) }),
  };
}

/** Returns the error, or the first of its causes, that carries a status code. */
function causeWithCode(error: unknown): unknown {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if (callErrorCode(current) !== undefined) return current;
    current = current.cause;
  }
  return error;
}

/** Runs work in a span. The span fails with the work, or is cancelled when `signal` has aborted. */
export async function inSpan<T>(
  journal: Journal,
  pod: JournalPod | undefined,
  start: SpanStart,
  work: (span: Span) => T | Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const span = journal.begin(pod, start);
  try {
    const result = await work(span);
    span.end();
    return result;
  } catch (error) {
    span.end(
      signal?.aborted === true ? { result: 'cancelled', message: errorMessage(signal.reason) } : failedOutcome(error),
    );
    throw error;
  }
}

/** Duration from which a quiet span is recorded. */
export const QUIET_MS = 100;
