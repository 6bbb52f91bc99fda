export {
  type JournalAttributes,
  type JournalEntry,
  type JournalSink,
  journalSinks,
  type PodIdentity,
  type SpanOutcome,
  type SpanResult,
} from './journal/journal-entry.ts';
export {
  FACTS,
  type FactKind,
  isWaitKind,
  PHASES,
  type PhaseKind,
  type WaitKind,
  WAITS,
} from './journal/journal-kinds.ts';
export {
  failedOutcome,
  inSpan,
  type Journal,
  type JournalFact,
  type JournalPod,
  noopJournal,
  noopSpan,
  QUIET_MS,
  type Span,
  type SpanKey,
  type SpanStart,
} from './journal/journal.ts';
export { type NodeProblemSource, nodeProblems } from './journal/node-problems.ts';
