import { type Clock, withDeadline } from '@rxlet/component-base';

/** Makes equal work that is asked for at the same time one. */
export interface SingleFlight<T> {
  /**
   * The outcome of the work under `key`, which `task` starts if it is not under way. It is cancelled when all who wait for it have aborted; each of
   * them rejects with the reason of its own signal at once.
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
    // Whoever waited for it may be gone.
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
          // A request that comes while cancelled work ends must not wait for that.
          if (flights.get(key) === flight) flights.delete(key);
          flight.controller.abort(signal?.reason);
        }
      }
    },
  };
}
