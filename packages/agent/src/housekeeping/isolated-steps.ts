import { errorMessage, type Logger } from '@rxlet/component-base';

/** Steps of a periodic job, isolated from each other's failures. */
export interface IsolatedSteps {
  /** Runs a step. A failure is logged, once until its message changes, and kept until the step succeeds. */
  run(step: string, work: () => void): void;
  /** Runs an asynchronous step in the same way; never rejects. */
  runAsync(step: string, work: () => Promise<void>): Promise<void>;
  /** Runs a step that may be asynchronous. @returns a promise of its end, which never rejects; `undefined` when it has ended */
  runEither(step: string, work: () => void | Promise<void>): Promise<void> | undefined;
  /** Runs a step on each item. A failure for one item does not skip the others; the step's error lists all failures. */
  runEach<T>(step: string, items: Iterable<T>, work: (item: T) => void): void;
}

/** Failed steps of a periodic job. */
export interface StepFailures {
  /** Error of each step whose latest run failed. */
  readonly errors: Map<string, string>;
  /** Returns the failed steps with their errors; `undefined` when the latest run of each succeeded. */
  problem(): string | undefined;
}

/** Creates empty {@link StepFailures}. */
export function createStepFailures(): StepFailures {
  const errors: StepFailures['errors'] = new Map();
  return {
    errors,
    problem() {
      if (errors.size === 0) return undefined;
      return [...errors].map(([step, message]) => `cannot ${step}: ${message}`).join('; ');
    },
  };
}

/** Dependencies of {@link createIsolatedSteps}. */
export interface IsolatedStepsPorts {
  /** Name of the job in log messages. */
  readonly job: string;
  readonly logger: Logger;
  /** Gets the errors of failed steps. */
  readonly failures: Pick<StepFailures, 'errors'>;
  /** Aborts when the job is stopped. */
  readonly signal: AbortSignal;
}

/** Creates {@link IsolatedSteps}. Errors after `signal` aborts are ignored: they are those of a job that is being stopped. */
export function createIsolatedSteps({ job, logger, failures, signal }: IsolatedStepsPorts): IsolatedSteps {
  const { errors } = failures;
  const fail = (step: string, error: unknown): void => {
    if (signal.aborted) return;
    const message = errorMessage(error);
    if (errors.get(step) !== message) logger.error(`${job} step failed`, { step, error: message });
    errors.set(step, message);
  };
  const run = (step: string, work: () => void): void => {
    try {
      work();
      errors.delete(step);
    } catch (error) {
      fail(step, error);
    }
  };
  const runAsync = async (step: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      errors.delete(step);
    } catch (error) {
      fail(step, error);
    }
  };
  return {
    run,
    runAsync,
    runEither(step, work) {
      let running: void | Promise<void>;
      try {
        running = work();
      } catch (error) {
        fail(step, error);
        return undefined;
      }
      // The latest failure stays until the outcome is known.
      if (running instanceof Promise) return runAsync(step, () => running);
      errors.delete(step);
      return undefined;
    },
    runEach(step, items, work) {
      run(step, () => {
        const thrown: unknown[] = [];
        for (const item of items) {
          try {
            work(item);
          } catch (error) {
            thrown.push(error);
          }
        }
        if (thrown.length === 1) throw thrown[0];
        if (thrown.length > 1) throw new Error([...new Set(thrown.map(errorMessage))].join('; '));
      });
    },
  };
}
