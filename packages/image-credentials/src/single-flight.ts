import { type Clock, withDeadline } from '@rxlet/component-base';

/** Shares the outcome of equal work that is requested at the same time. */
export interface SingleFlight<T> {
  /**
   * Returns the outcome of the work under `key`, which `task` starts unless it runs already. The work is cancelled when all callers have aborted. Each caller
   * rejects at once with the reason of its own signal.
   */
  run(key: string, task: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Creates a {@link SingleFlight}. */
export function createSingleFlight<T>(clock: Clock): SingleFlight<T> {
  interface Flight {
    readonly outcome: Promise<T>;
    readonly controller: AbortController;
    waiting: number;
  }
  const flights = new Map<string, Flight>();

  const start = (key: string, task: (signal: AbortSignal) => Promise<T>): Flight => {
    const controller = new AbortController();
    const outcome = task(controller.signal).finally(() => {
      if (flights.get(key) === flight) flights.delete(key);
    });
    // All callers may have left.
    outcome.catch(() => undefined);
    const flight: Flight = { outcome, controller, waiting: 0 };
    flights.set(key, flight);
    return flight;
  };

  return {
    async run(key, task, signal) {
      signal?.throwIfAborted();
      const flight = flights.get(key) ?? start(key, task);
      flight.waiting += 1;
      try {
        return await withDeadline(clock, Infinity, signal, () => flight.outcome);
      } finally {
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          // A new request must not wait for the end of cancelled work.
          if (flights.get(key) === flight) flights.delete(key);
          flight.controller.abort(signal?.reason);
        }
      }
    },
  };
}
