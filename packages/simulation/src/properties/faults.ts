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
