import type { History, HistoryEvent } from '../history/history.ts';

/** Returns the facts before the first fault. */
export function untilFault(history: History): History {
  const first = history.findIndex(isDisturbance);
  return first === -1 ? history : history.slice(0, first);
}

function isDisturbance(event: HistoryEvent): boolean {
  if (event.kind === 'step') return event.isFault === true;
  if (event.kind === 'agent') return event.change !== 'started';
  return event.kind === 'pressure' || event.kind === 'power';
}

/** Longest pause before the agent repeats a write that failed. */
const WRITE_RETRY_MS = 60_000;

/** Follows the time in which the agent cannot write its files, and may not have repeated its writes yet. Called with each event, in order. */
export function createUnwritableTime(): {
  /** Begin and end of the last such time, in milliseconds since the start of the run; an end of 0 before the first one. */
  readonly last: { readonly fromMs: number; readonly untilMs: number };
  follow(event: HistoryEvent): void;
} {
  let last = { fromMs: 0, untilMs: 0 };
  return {
    get last() {
      return last;
    },
    follow(event) {
      const ms = event.kind === 'step' ? /^disk .*\bms=(\d+)/.exec(event.text)?.[1] : undefined;
      if (ms === undefined) return;
      const fromMs = event.atMs < last.untilMs ? last.fromMs : event.atMs;
      last = { fromMs, untilMs: event.atMs + Number(ms) + WRITE_RETRY_MS };
    },
  };
}
