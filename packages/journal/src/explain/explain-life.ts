import { isWaitKind, type WaitKind } from '@rxlet/agent-api/journal';
import type { PodStatus } from '@rxlet/kube-api';
import type { JournalSpan, Life } from '../model/life.ts';
import type { Explanation, LastError, PodSituation, Step, Wait } from './explanation.ts';
import { formatDuration, numberOf, textOf } from './format.ts';
import { type HelpContext, helpFor } from './help.ts';
import { waitSentence } from './sentences.ts';

/** Facts beside the journal that an explanation needs. */
export interface ExplainContext extends HelpContext {
  readonly nowMs: number;
  /** Latest status of the pod; `undefined` for one without. */
  readonly status?: PodStatus | undefined;
}

/** Number of steps in an explanation. */
const MAX_STEPS = 12;

/** Waits in the order of their significance: causes before consequences, work in progress before back-offs before what only a status shows. */
const RANKS: Readonly<Partial<Record<WaitKind, number>>> = {
  'node.runtime': 0,
  'node.network': 0,
  'volume.backoff': 2,
  'image.backoff': 2,
  'container.backoff': 2,
  'container.init': 3,
  'container.startup': 3,
  'pod.restart-all': 3,
  'sync.backoff': 4,
  'pod.retry': 4,
  'container.readiness': 5,
  'pod.readiness-gate': 5,
  'resize.deferred': 6,
  // Steps of modules, which report what they wait for themselves.
  'pod.prepare': 7,
  'sandbox.prepare': 7,
  'pod.release': 7,
  'pod.tear-down': 7,
};
const DEFAULT_RANK = 1;
/** Waits that no longer matter once the pod terminates. */
const UNTIL_TERMINATION: ReadonlySet<string> = new Set([
  'volume.backoff',
  'image.backoff',
  'container.backoff',
  'container.init',
  'container.startup',
  'container.readiness',
  'pod.readiness-gate',
  'resize.deferred',
]);
/** Waits that begin because of others. */
const CONSEQUENCES: ReadonlySet<string> = new Set(['sync.backoff', 'pod.prepare']);
const BACKOFFS: ReadonlySet<string> = new Set([
  'volume.backoff',
  'image.backoff',
  'container.backoff',
  'sync.backoff',
  'pod.retry',
]);

/** Explains what a pod does now, from its journal and its latest status. Pure. */
export function explainLife(life: Life, context: ExplainContext): Explanation {
  const { nowMs } = context;
  const waits = significantWaits(life);
  const lastError = latestError(life, waits);
  const [first] = waits;
  const { state, sentence, sinceMs } = situation(life, waits, context);
  const untilMs = first === undefined ? 0 : numberOf(first, 'untilMs');
  return {
    pod: { uid: life.uid, namespace: life.namespace, name: life.name },
    state,
    sentence,
    sinceMs,
    waitsFor: waits.map((span) => toWait(span, nowMs)),
    ...(lastError !== undefined && { lastError }),
    ...(untilMs > nowMs && { nextTryAtMs: untilMs }),
    help: [...new Set(waits.slice(0, 3).flatMap((span) => helpFor(span, context)))],
    steps: lastSteps(life),
  };
}

/** Returns the open waits without open spans in them, the most significant first. */
function significantWaits({ spans }: Life): readonly JournalSpan[] {
  const open = spans.filter(({ endMs }) => endMs === undefined);
  const parents = new Set(open.map(({ parentId }) => parentId));
  const isTerminating = spans.some(({ kind }) => kind === 'pod.terminating');
  const waits = open.filter(
    ({ id, kind }) =>
      !parents.has(id) && (isWaitKind(kind) || kind.includes('/')) && !(isTerminating && UNTIL_TERMINATION.has(kind)),
  );
  const sorted = waits.toSorted((a, b) => rankOf(a) - rankOf(b) || a.startMs - b.startMs);
  // The consequences of another wait say nothing more.
  const isCaused = sorted[0] !== undefined && rankOf(sorted[0]) <= RANKS['container.backoff']!;
  return isCaused ? sorted.filter(({ kind }) => !CONSEQUENCES.has(kind)) : sorted;
}

function rankOf({ kind }: JournalSpan): number {
  return RANKS[kind as WaitKind] ?? DEFAULT_RANK;
}

type Situation = Pick<Explanation, 'state' | 'sentence' | 'sinceMs'>;

function situation(life: Life, waits: readonly JournalSpan[], { nowMs, status }: ExplainContext): Situation {
  const lastFact = (kind: string): JournalSpan | undefined => life.spans.findLast((span) => span.kind === kind);
  if (life.endMs !== undefined) {
    const cause = lastFact('pod.terminating');
    const why = cause === undefined ? '' : ` (${terminationCause(textOf(cause, 'reason'))})`;
    return { state: 'ended', sentence: `is gone from the node${why}`, sinceMs: life.endMs };
  }
  const [first] = waits;
  const terminating = lastFact('pod.terminating');
  if (terminating !== undefined) {
    const finished = lastFact('pod.finished');
    const cause = terminationCause(textOf(terminating, 'reason'));
    if (first !== undefined) {
      const sentence = `${first.kind === 'pod.delete' ? '' : `ends (${cause}): it `}${waitSentence(first, nowMs)}`;
      return { state: 'terminating', sentence, sinceMs: first.startMs };
    }
    if (finished === undefined)
      return { state: 'terminating', sentence: `ends (${cause})`, sinceMs: terminating.startMs };
    const sentence = `has ended (${cause})${status?.phase === undefined ? '' : `: ${phaseSentence(status)}`}`;
    return { state: 'ended', sentence, sinceMs: finished.startMs };
  }
  const rejection = lastFact('pod.rejected');
  if (rejection !== undefined && first === undefined) {
    const { reason = '', message = '' } = rejection.outcome ?? {};
    return {
      state: 'failing',
      sentence: `was rejected by the node: ${reason}: ${message}`,
      sinceMs: rejection.startMs,
    };
  }
  if (first !== undefined) {
    const state: PodSituation = BACKOFFS.has(first.kind) ? 'failing' : 'waiting';
    const ageMs = nowMs - first.startMs;
    const age = state === 'failing' || ageMs < 1000 ? '' : `, for ${formatDuration(ageMs)}`;
    return { state, sentence: `${waitSentence(first, nowMs)}${age}`, sinceMs: first.startMs };
  }
  const phase = life.spans.find(({ kind, endMs }) => kind.startsWith('pod.') && endMs === undefined);
  if (status?.phase === 'Running') return runningSituation(life, status);
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed')
    return { state: 'ended', sentence: phaseSentence(status), sinceMs: lastEndMs(life) };
  return {
    state: 'waiting',
    sentence: phase === undefined ? 'waits for its first sync' : 'is being started',
    sinceMs: phase?.startMs ?? life.startMs,
  };
}

function runningSituation(life: Life, { containerStatuses = [] }: PodStatus): Situation {
  const count = containerStatuses.length;
  const ready = containerStatuses.filter((one) => one.ready).length;
  const restarts = containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
  const restarted = restarts === 0 ? '' : `, ${String(restarts)} ${restarts === 1 ? 'restart' : 'restarts'} so far`;
  if (ready === count) {
    const all = count === 1 ? 'its container is ready' : `all ${String(count)} containers are ready`;
    return { state: 'ok', sentence: `runs; ${all}${restarted}`, sinceMs: lastEndMs(life) };
  }
  const sentence = `runs; ${String(ready)} of ${String(count)} containers are ready${restarted}`;
  return { state: 'waiting', sentence, sinceMs: lastEndMs(life) };
}

function phaseSentence({ phase, reason, message }: PodStatus): string {
  const result = phase === 'Succeeded' ? 'all containers succeeded' : 'it has failed';
  const why = [reason, message].filter(Boolean).join(': ');
  return why === '' ? result : `${result} (${why})`;
}

function terminationCause(reason: string): string {
  const causes: Readonly<Record<string, string>> = {
    deleted: 'it was deleted',
    evicted: 'the node evicted it',
    completed: 'its containers have completed',
    orphaned: 'no source desires it',
    killed: 'the node ended it',
  };
  return causes[reason] ?? reason;
}

function lastEndMs({ spans, startMs }: Life): number {
  return Math.max(startMs, ...spans.map(({ endMs }) => endMs ?? 0));
}

/** Returns the latest failure that no success of the same kind follows, or the failure of an open wait. */
function latestError({ spans }: Life, waits: readonly JournalSpan[]): LastError | undefined {
  for (let index = spans.length - 1; index >= 0; index -= 1) {
    const span = spans[index]!;
    const failure = failureOf(span);
    if (failure === undefined || isPutRight(spans, index)) continue;
    return failure;
  }
  const held = waits.find((span) => textOf(span, 'message') !== '' && BACKOFFS.has(span.kind));
  return held === undefined
    ? undefined
    : toError(held, textOf(held, 'message'), textOf(held, 'reason'), textOf(held, 'code'));
}

/** Reports whether a success of the same kind follows a failed span. */
export function isPutRight(spans: readonly JournalSpan[], index: number): boolean {
  const { kind, container, subject } = spans[index]!;
  const success = kind === 'container.exited' ? 'container.start' : kind;
  return spans.some(
    (span, at) =>
      at > index &&
      span.kind === success &&
      span.container === container &&
      span.subject === subject &&
      span.outcome?.result === 'ok',
  );
}

function failureOf(span: JournalSpan): LastError | undefined {
  const { kind, container = '', outcome } = span;
  if (kind === 'container.exited' && numberOf(span, 'exitCode') !== 0) {
    const details = [textOf(span, 'reason'), textOf(span, 'message')].filter(Boolean).join(': ');
    const code = String(numberOf(span, 'exitCode'));
    const message = `container "${container}" exited with code ${code}${details === '' ? '' : ` (${details})`}`;
    return toError(span, message, textOf(span, 'reason'), '');
  }
  if (outcome?.result !== 'failed') return undefined;
  return toError(span, outcome.message ?? outcome.reason ?? 'unknown error', outcome.reason ?? '', outcome.code ?? '');
}

function toError(span: JournalSpan, message: string, reason: string, code: string): LastError {
  return {
    message,
    ...(reason !== '' && { reason }),
    ...(code !== '' && { code }),
    atMs: span.endMs ?? span.startMs,
    ...(span.container !== undefined && { container: span.container }),
  };
}

function toWait(span: JournalSpan, nowMs: number): Wait {
  const { kind, container, subject, startMs } = span;
  return {
    kind,
    ...(container !== undefined && { container }),
    ...(subject !== undefined && { subject }),
    sinceMs: startMs,
    sentence: waitSentence(span, nowMs),
  };
}

function lastSteps({ spans }: Life): readonly Step[] {
  return spans
    .filter(({ parentId }) => parentId !== undefined)
    .slice(-MAX_STEPS)
    .map((span) => {
      const { kind, container, subject, startMs, endMs, outcome } = span;
      const message = outcome?.message ?? (kind === 'container.exited' ? failureOf(span)?.message : undefined);
      return {
        kind,
        ...(container !== undefined && { container }),
        ...(subject !== undefined && { subject }),
        startMs,
        ...(endMs !== undefined && { durationMs: endMs - startMs, result: outcome?.result ?? 'ok' }),
        ...(message !== undefined && { message }),
      };
    });
}
