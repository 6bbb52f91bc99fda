import type { JournalSpan, Life } from '../model/life.ts';
import { isPutRight } from './explain-life.ts';
import { waitSentence } from './sentences.ts';

type Sentence = (span: JournalSpan) => string;

const explained: Sentence = (span) => waitSentence(span, span.startMs);
const mounted: Sentence = ({ subject = '' }) => `waits for volume "${subject}" to be mounted`;

/**
 * Sentences of the waits before the sandbox of a pod, the most significant first. Unlike those of an explanation they have no times, progress or messages of others: they stay the
 * same while the pod waits for the same thing, whether the work for it runs, has failed, or backs off.
 */
const SENTENCES: ReadonlyMap<string, Sentence> = new Map([
  ['node.runtime', () => 'waits for the container runtime'],
  ['node.network', () => 'waits for the network of the container runtime'],
  ['cgroup.create', explained],
  ['volume.attach', explained],
  ['volume.mount', mounted],
  ['volume.backoff', mounted],
  ['sandbox.prepare', explained],
  ['sandbox.create', explained],
  ['pod.prepare', explained],
]);
const RANKS: readonly string[] = [...SENTENCES.keys()];

/** Returns what a pod without a sandbox waits for: what it waits for now, or what failed in the sync that is retried; `undefined` when the journal knows nothing. Pure. */
export function sandboxMessage({ spans, endMs }: Life): string | undefined {
  if (endMs !== undefined || spans.some(({ kind }) => kind === 'pod.terminating')) return undefined;
  const failing = failingSync(spans);
  const waits = spans.filter(
    (span, index) =>
      SENTENCES.has(span.kind) &&
      (span.endMs === undefined || (isFailedWithin(spans, span, failing) && !isPutRight(spans, index))),
  );
  const [first] = waits.toSorted(
    (a, b) => RANKS.indexOf(a.kind) - RANKS.indexOf(b.kind) || compareText(a.subject ?? '', b.subject ?? ''),
  );
  return first && SENTENCES.get(first.kind)?.(first);
}

/** Returns the latest sync with an entry while it runs and until a retry of it succeeds. */
function failingSync(spans: readonly JournalSpan[]): JournalSpan | undefined {
  const sync = spans.findLast(({ kind }) => kind === 'pod.sync');
  const isRetried = spans.some(({ kind, endMs }) => kind === 'sync.backoff' && endMs === undefined);
  return sync?.endMs === undefined || isRetried ? sync : undefined;
}

function isFailedWithin(spans: readonly JournalSpan[], span: JournalSpan, outer: JournalSpan | undefined): boolean {
  if (outer === undefined || span.outcome?.result !== 'failed') return false;
  let current: JournalSpan | undefined = span;
  while (current !== undefined && current.id !== outer.id) {
    const { parentId }: JournalSpan = current;
    current = spans.find(({ id }) => id === parentId);
  }
  return current !== undefined;
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
