import { collectionKey, type CollectionKey } from '../collection-key.ts';

/** Identity of a pod in the journal. */
export interface PodIdentity {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

/** Details of a span: names in camel case with units (`totalBytes`, `untilMs` as epoch milliseconds), values of the kinds that OpenTelemetry has. */
export type JournalAttributes = Readonly<Record<string, string | number | boolean>>;

/** Result of a span: `interrupted` when its end was never reported, because the span around it ended or the agent was killed. */
export type SpanResult = 'ok' | 'failed' | 'cancelled' | 'interrupted';

/** How a span ended. */
export interface SpanOutcome {
  readonly result: SpanResult;
  /** Reason in Kubernetes' vocabulary, such as `ErrImagePull`. */
  readonly reason?: string;
  /** Full message of the failure. */
  readonly message?: string;
  /** Name of the status code of a failed call of the CRI, such as `DeadlineExceeded`. */
  readonly code?: string;
}

/** Members that every entry has. Times are epoch milliseconds. */
interface EntryBase {
  /** Identity of the span: 16 hexadecimal digits, unique within the node. */
  readonly id: string;
  /** UID of the pod. */
  readonly uid: string;
  readonly atMs: number;
}

/** Members that describe a span or a fact. */
interface EntrySubject {
  /** The span around it. Absent for the root span of a pod, of the kind `pod`. */
  readonly parentId?: string;
  readonly kind: string;
  /** Container that it concerns. */
  readonly container?: string;
  /** The thing that it concerns within the pod: a volume, an image, a step, a handler. */
  readonly subject?: string;
  readonly attributes?: JournalAttributes;
}

/** An entry of the journal. The root span of a pod is its life: it begins with the first entry of the pod and ends when the node has cleaned up after it. */
export type JournalEntry =
  | (EntryBase & EntrySubject & { readonly type: 'begin'; readonly namespace?: string; readonly name?: string })
  | (EntryBase & { readonly type: 'update'; readonly attributes: JournalAttributes })
  | (EntryBase & { readonly type: 'end'; readonly outcome: SpanOutcome; readonly attributes?: JournalAttributes })
  | (EntryBase & EntrySubject & { readonly type: 'fact'; readonly outcome?: SpanOutcome; readonly once?: string });

/** Receives the entries in order. It must neither throw nor wait. */
export type JournalSink = (entry: JournalEntry) => void;

/** Receivers of the journal, such as its store or an exporter of traces. Without any, parts report to {@link noopJournal}'s equal at no cost. */
export const journalSinks: CollectionKey<JournalSink> = collectionKey('journal sinks');
