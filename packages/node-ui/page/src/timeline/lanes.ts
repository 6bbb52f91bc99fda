import type { JournalSpan, Life } from '@rxlet/journal/model';
import type { Tone } from '../tone.ts';

/** A span on a lane. */
export interface Bar {
  readonly span: JournalSpan;
  readonly title: string;
  readonly tone: Tone;
  readonly startMs: number;
  /** Absent while it lasts. */
  readonly endMs?: number;
  /** Row within the lane: spans that overlap are below each other. */
  readonly row: number;
  readonly shape: 'span' | 'phase' | 'run' | 'fact';
  /** Share of the work that is done, for a pull whose size is known. */
  readonly progress?: number;
}

/** A line of the timeline. */
export interface Lane {
  readonly id: string;
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly rows: number;
}

/** Lanes that are not those of containers, in their order, with the first part of the kinds of their spans. */
const LANES: readonly (readonly [title: string, prefixes: readonly string[]])[] = [
  ['Pod', ['pod', 'admission', 'sync', 'mirror-pod', 'node', 'cgroup', 'agent', 'resize']],
  ['Volumes', ['volume']],
  ['Images', ['image']],
  ['Sandbox', ['sandbox']],
];
const FAILED: readonly Tone[] = ['bad'];

/** Returns the lanes of a life: the pod, volumes, images and sandbox, then each container with the times in which it ran. */
export function lanesOf(life: Life, nowMs: number): readonly Lane[] {
  const [, ...spans] = life.spans;
  const groups = new Map<string, { title: string; spans: JournalSpan[] }>();
  const group = (id: string, title: string): { spans: JournalSpan[] } => {
    const known = groups.get(id) ?? { title, spans: [] };
    groups.set(id, known);
    return known;
  };
  for (const [title] of LANES) group(title, title);
  const others = { id: 'other', title: 'Other' };
  for (const span of spans) {
    const prefix = span.kind.split('.', 1)[0]!;
    const lane = LANES.find(([, prefixes]) => prefixes.includes(prefix))?.[0];
    if (lane !== undefined) group(lane, lane).spans.push(span);
    else if (span.container !== undefined) group(`container ${span.container}`, span.container).spans.push(span);
    else group(others.id, others.title).spans.push(span);
  }
  return [...groups]
    .filter(([, { spans: own }]) => own.length > 0)
    .map(([id, { title, spans: own }]) => {
      const runs = id.startsWith('container ') ? runsOf(own, life) : [];
      return packed(id, title, [...runs, ...own.map((span) => barOf(span))], nowMs);
    });
}

/** Returns the moments at which something on the lanes begins or ends. */
export function momentsOf(lanes: readonly Lane[]): readonly number[] {
  return lanes.flatMap(({ bars }) =>
    bars.flatMap(({ startMs, endMs }) => (endMs === undefined ? [startMs] : [startMs, endMs])),
  );
}

/** Times in which a container ran: from a start that succeeded until its exit, the next start, or the end of the life. */
function runsOf(spans: readonly JournalSpan[], life: Life): readonly Omit<Bar, 'row'>[] {
  const starts = spans.filter(({ kind, outcome }) => kind === 'container.start' && outcome?.result === 'ok');
  return starts.map((span, index) => {
    const startMs = span.endMs ?? span.startMs;
    const nextMs = starts[index + 1]?.startMs ?? Infinity;
    const exit = spans.find(({ kind, startMs: atMs }) => ENDS_RUN.includes(kind) && atMs >= startMs && atMs <= nextMs);
    const endMs = exit?.startMs ?? (nextMs === Infinity ? life.endMs : nextMs);
    const code = exit?.attributes?.['exitCode'];
    const tone: Tone = endMs === undefined ? 'ok' : code === 0 || code === undefined ? 'idle' : 'bad';
    const title =
      typeof code === 'number' && code !== 0 ? `ran, exit ${String(code)}` : endMs === undefined ? 'running' : 'ran';
    return { span, title, tone, startMs, ...(endMs !== undefined && { endMs }), shape: 'run' as const };
  });
}

/** Kinds that show that a container no longer runs. */
const ENDS_RUN: readonly string[] = ['container.exited', 'container.backoff', 'container.prepare', 'container.remove'];

function barOf(span: JournalSpan): Omit<Bar, 'row'> {
  const { kind, startMs, endMs, attributes = {}, outcome } = span;
  const isFact = endMs === startMs && !kind.includes('backoff') && outcome === undefined;
  const { currentBytes, totalBytes } = attributes;
  return {
    span,
    title: titleOf(span),
    tone: toneOf(span),
    startMs,
    ...(endMs !== undefined && { endMs }),
    shape: isFact ? 'fact' : /^pod\.(?:sync|terminate|clean-up|admit)$/.test(kind) ? 'phase' : 'span',
    ...(typeof currentBytes === 'number' &&
      typeof totalBytes === 'number' &&
      totalBytes > 0 &&
      endMs === undefined && { progress: Math.min(1, currentBytes / totalBytes) }),
  };
}

/** Returns the words for a span: its kind without the lane, and what it concerns. */
export function titleOf({ kind, subject }: JournalSpan): string {
  const words = kind.split('.').at(-1)!.replaceAll('-', ' ');
  return subject === undefined ? words : `${words} ${subject}`;
}

/** Returns the tone of a span. */
export function toneOf({ kind, endMs, outcome }: JournalSpan): Tone {
  if (outcome?.result === 'failed') return FAILED[0]!;
  if (outcome?.result === 'cancelled' || outcome?.result === 'interrupted') return 'warn';
  if (/backoff|retry|deferred/.test(kind)) return 'warn';
  return endMs === undefined ? 'busy' : 'idle';
}

/** Puts bars that overlap into different rows. */
function packed(id: string, title: string, bars: readonly Omit<Bar, 'row'>[], nowMs: number): Lane {
  const ends: number[] = [];
  const placed = bars
    .toSorted((a, b) => a.startMs - b.startMs)
    .map((bar): Bar => {
      if (bar.shape === 'fact') return { ...bar, row: 0 };
      const free = ends.findIndex((endMs) => endMs <= bar.startMs);
      const row = free < 0 ? ends.length : free;
      ends[row] = bar.endMs ?? nowMs + 1;
      return { ...bar, row };
    });
  return { id, title, bars: placed, rows: Math.max(1, ends.length) };
}
