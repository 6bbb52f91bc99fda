import {
  type Journal,
  type JournalAttributes,
  type JournalEntry,
  type JournalPod,
  type JournalSink,
  noopSpan,
  PHASES,
  type PodIdentity,
  QUIET_MS,
  type SpanKey,
  type SpanOutcome,
  type SpanStart,
} from '@rxlet/agent-api/journal';
import { type Clock, errorMessage, type Logger, type Random, type Timer } from '@rxlet/component-base';
import { beginEntry, identityOf, type OpenSpan, openSpanOf, type PodLife, type SpanHandle } from './open-span.ts';

/** Ports of {@link createJournalRecorder}. */
export interface JournalRecorderPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Filled while modules are set up. */
  readonly sinks: readonly JournalSink[];
}

/** Shortest time between two updates of a span. What comes sooner is passed on with the next update or the end. */
const UPDATE_INTERVAL_MS = 500;
const PHASE_KINDS: ReadonlySet<string> = new Set(PHASES);
const OK: SpanOutcome = { result: 'ok' };
const INTERRUPTED: SpanOutcome = { result: 'interrupted' };

/** The journal of an agent. Disposal leaves the spans open: the pods keep running, and the next agent continues their lives. */
export interface JournalRecorder extends Journal, Disposable {
  /** Ends the life of a pod that begins again under its UID. */
  close(podUid: string): void;
  /** Ends the lives of all pods but these. */
  retain(podUids: ReadonlySet<string>): void;
}

/** Creates the journal that passes entries to `sinks`. */
export function createJournalRecorder({ clock, random, logger, sinks }: JournalRecorderPorts): JournalRecorder {
  /** Bounded by the pods that the agent has: {@link Journal.close} ends a life. */
  const lives = new Map<string, PodLife>();
  /** Open quiet spans that were not recorded, in the order in which they began. */
  const quiet = new Set<OpenSpan>();
  let quietTimer: Timer | undefined;
  let isClosed = false;
  let run = '';
  let lastId = 0;

  const nextId = (): string => {
    run ||= random.hex(4);
    lastId += 1;
    return run + lastId.toString(16).padStart(8, '0');
  };

  const emit = (entry: JournalEntry): void => {
    for (const sink of sinks) {
      try {
        sink(entry);
      } catch (error) {
        logger.error('a sink of the journal failed', { error: errorMessage(error) });
      }
    }
  };

  /** Records a span, after those around it. */
  const recordSpan = (span: OpenSpan): void => {
    if (span.isRecorded) return;
    if (span.parent !== undefined) recordSpan(span.parent);
    span.isRecorded = true;
    quiet.delete(span);
    emit(beginEntry(span));
    span.pending = undefined;
  };

  /** Records the quiet spans that have lasted. One timer serves all of them; it is set with the first one and fires when that is due, ended or not. */
  const watchQuiet = (): void => {
    const [oldest] = quiet;
    if (oldest === undefined || quietTimer !== undefined) return;
    quietTimer = clock.setTimer(Math.max(0, oldest.atMs + QUIET_MS - clock.now()), () => {
      quietTimer = undefined;
      const dueMs = clock.now() - QUIET_MS;
      for (const span of quiet) if (span.atMs <= dueMs) recordSpan(span);
      watchQuiet();
    });
  };

  const create = (pod: PodIdentity, parent: OpenSpan | undefined, start: OpenSpan['start']): OpenSpan => {
    const span: OpenSpan = {
      id: nextId(),
      pod,
      parent,
      start,
      atMs: clock.now(),
      isRecorded: false,
      isEnded: false,
      updatedAtMs: -Infinity,
    };
    if (parent !== undefined) (parent.children ??= new Set()).add(span);
    return span;
  };

  const lifeOf = (pod: JournalPod): PodLife | undefined => {
    const known = lives.get(pod.uid ?? '');
    if (known !== undefined) return known;
    const identity = identityOf(pod);
    if (identity === undefined) return undefined;
    const life: PodLife = { root: create(identity, undefined, { kind: 'pod' }), held: new Map() };
    lives.set(identity.uid, life);
    return life;
  };

  const parentOf = (life: PodLife, within: SpanStart['within']): OpenSpan => {
    const explicit = within === undefined || within === 'life' ? undefined : openSpanOf(within);
    if (explicit !== undefined && !explicit.isEnded) return explicit;
    return within === 'life' ? life.root : (life.phase ?? life.root);
  };

  const end = (span: OpenSpan, outcome: SpanOutcome): void => {
    if (span.isEnded) return;
    const { pod, parent, children } = span;
    if (children !== undefined) for (const child of children) end(child, INTERRUPTED);
    // A phase without content is no news: the wait for its retry reports what failed in it.
    const isNews = outcome.result === 'failed' && !PHASE_KINDS.has(span.start.kind);
    if (isNews) recordSpan(span);
    span.isEnded = true;
    parent?.children?.delete(span);
    quiet.delete(span);
    const life = lives.get(pod.uid);
    if (life?.phase === span) life.phase = undefined;
    if (!span.isRecorded) return;
    const attributes = span.pending;
    emit({ type: 'end', id: span.id, uid: pod.uid, atMs: clock.now(), outcome, ...(attributes && { attributes }) });
  };

  const update = (span: OpenSpan, attributes: JournalAttributes): void => {
    if (span.isEnded) return;
    span.pending = { ...(span.isRecorded ? span.pending : (span.pending ?? span.start.attributes)), ...attributes };
    if (!span.isRecorded) return;
    const nowMs = clock.now();
    if (nowMs - span.updatedAtMs < UPDATE_INTERVAL_MS) return;
    span.updatedAtMs = nowMs;
    const changed = span.pending;
    span.pending = undefined;
    emit({ type: 'update', id: span.id, uid: span.pod.uid, atMs: nowMs, attributes: changed });
  };

  const beginSpan = (life: PodLife, start: SpanStart): OpenSpan => {
    const isPhase = PHASE_KINDS.has(start.kind);
    // A worker runs one step at a time, so an open phase was cut off.
    if (isPhase && life.phase !== undefined) end(life.phase, INTERRUPTED);
    const span = create(life.root.pod, isPhase ? life.root : parentOf(life, start.within), start);
    if (isPhase) life.phase = span;
    if (start.isQuiet !== true) recordSpan(span);
    else {
      quiet.add(span);
      watchQuiet();
    }
    return span;
  };

  const close = (uid: string): void => {
    const life = lives.get(uid);
    if (life === undefined) return;
    lives.delete(uid);
    end(life.root, OK);
  };

  const isOff = (): boolean => sinks.length === 0 || isClosed;

  return {
    get isRecording() {
      return !isOff();
    },
    begin(pod, start) {
      const life = isOff() || pod === undefined ? undefined : lifeOf(pod);
      if (life === undefined) return noopSpan;
      const span = beginSpan(life, start);
      const handle: SpanHandle = {
        open: span,
        update: (attributes) => update(span, attributes),
        end: (outcome = OK) => {
          if (!isClosed) end(span, outcome);
        },
      };
      return handle;
    },
    record(pod, { kind, container, subject, attributes, outcome, within, once }) {
      const life = isOff() || pod === undefined ? undefined : lifeOf(pod);
      if (life === undefined) return;
      const parent = parentOf(life, within);
      recordSpan(parent);
      emit({
        type: 'fact',
        id: nextId(),
        parentId: parent.id,
        uid: life.root.pod.uid,
        atMs: clock.now(),
        kind,
        ...(container !== undefined && { container }),
        ...(subject !== undefined && { subject }),
        ...(attributes !== undefined && { attributes }),
        ...(outcome !== undefined && { outcome }),
        ...(once !== undefined && { once }),
      });
    },
    hold(pod, start) {
      const life = isOff() || pod === undefined ? undefined : lifeOf(pod);
      if (life === undefined) return;
      const key = keyOf(start);
      const held = life.held.get(key);
      if (held !== undefined && !held.isEnded) {
        if (start.attributes !== undefined && differs(held.reported, start.attributes)) {
          held.reported = start.attributes;
          held.updatedAtMs = -Infinity;
          update(held, start.attributes);
        }
        return;
      }
      const span = beginSpan(life, { within: 'life', ...start });
      span.reported = start.attributes;
      life.held.set(key, span);
    },
    release(pod, key, outcome = OK) {
      const life = isOff() ? undefined : lives.get(pod?.uid ?? '');
      const held = life?.held.get(keyOf(key));
      if (life === undefined || held === undefined) return;
      life.held.delete(keyOf(key));
      end(held, outcome);
    },
    close,
    retain(uids) {
      for (const uid of lives.keys()) if (!uids.has(uid)) close(uid);
    },
    [Symbol.dispose]() {
      isClosed = true;
      quietTimer?.[Symbol.dispose]();
      quietTimer = undefined;
      quiet.clear();
      lives.clear();
    },
  };
}

function differs(before: JournalAttributes | undefined, after: JournalAttributes): boolean {
  return Object.entries(after).some(([name, value]) => before?.[name] !== value);
}

function keyOf({ kind, container = '', subject = '' }: SpanKey): string {
  return `${kind}\n${container}\n${subject}`;
}
