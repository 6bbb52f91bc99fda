import { type Clock, sleep } from '@rxlet/component-base';

/** Pauses between regular reports, which a request for one ends early. */
export interface ReportPace {
  /** Requests a report now. Requests before the next report begins are one. */
  request(): void;
  /** Whether a report was requested since the last one began. */
  isRequested(): boolean;
  /** Records that a report begins. */
  begin(): void;
  /** Waits for this time, or until a report is requested. Rejects when `signal` aborts. */
  wait(delayMs: number, signal: AbortSignal): Promise<void>;
}

/** Creates a {@link ReportPace}. */
export function createReportPace(clock: Clock): ReportPace {
  let isRequested = false;
  let endPause: (() => void) | undefined;
  return {
    request() {
      isRequested = true;
      endPause?.();
    },
    isRequested: () => isRequested,
    begin: () => void (isRequested = false),
    async wait(delayMs, signal) {
      if (isRequested) return;
      const requested = new AbortController();
      endPause = () => requested.abort();
      try {
        await sleep(clock, delayMs, AbortSignal.any([signal, requested.signal]));
      } catch {
        signal.throwIfAborted();
      } finally {
        endPause = undefined;
      }
    },
  };
}
