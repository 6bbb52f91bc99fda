import { errorMessage, type Logger } from '@rxlet/component-base';

/** Steps of a periodic job, isolated from each other's failures. */
export interface IsolatedSteps {
  /** Runs a step. A failure is logged, once until its message changes, and kept until the step succeeds. */
  run(step: string, work: () => void): void;
  /** Runs an asynchronous step in the same way; never rejects. */
  runAsync(step: string, work: () => Promise<void>): Promise<void>;
  /** Runs a step on each item. A failure for one item does not skip the others; the step's error lists all failures. */
  runEach<T>(step: string, items: Iterable<T>, work: (item: T) => void): void;
  /** Failed steps with their errors; `undefined` when the latest run of each succeeded. */
  problem(): string | undefined;
}

/** Creates {@link IsolatedSteps}. Errors after `signal` aborts are ignored: they are those of a job that is being stopped. */
export function createIsolatedSteps(job: string, logger: Logger, signal: AbortSignal): IsolatedSteps {
  const failures = new Map<string, string>();
  const fail = (step: string, error: unknown): void => {
    if (signal.aborted) return;
    const message = errorMessage(error);
    if (failures.get(step) !== message) logger.error(`${job} step failed`, { step, error: message });
    failures.set(step, message);
  };
  const run = (step: string, work: () => void): void => {
    try {
      work();
      failures.delete(step);
    } catch (error) {
      fail(step, error);
    }
  };
  return {
    run,
    async runAsync(step, work) {
      try {
        await work();
        failures.delete(step);
      } catch (error) {
        fail(step, error);
      }
    },
    runEach(step, items, work) {
      run(step, () => {
        const errors: unknown[] = [];
        for (const item of items) {
          try {
            work(item);
          } catch (error) {
            errors.push(error);
          }
        }
        if (errors.length === 1) throw errors[0];
        if (errors.length > 1) throw new Error([...new Set(errors.map(errorMessage))].join('; '));
      });
    },
    problem() {
      if (failures.size === 0) return undefined;
      return [...failures].map(([step, message]) => `cannot ${step}: ${message}`).join('; ');
    },
  };
}
