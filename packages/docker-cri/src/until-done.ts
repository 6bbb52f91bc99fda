import { type Clock, errorMessage, type Lifetime, type Logger, sleep } from '@rxlet/component-base';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 10_000;

/** Runs a task until it succeeds, with growing pauses after failures. Rejects only at the end of the lifetime. */
export async function untilDone(
  { clock, lifetime, logger }: { readonly clock: Clock; readonly lifetime: Lifetime; readonly logger: Logger },
  failure: string,
  task: () => Promise<void>,
): Promise<void> {
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)) {
    try {
      await task();
      return;
    } catch (error) {
      lifetime.signal.throwIfAborted();
      logger.warn(failure, { error: errorMessage(error) });
    }
    await sleep(clock, retryMs, lifetime.signal);
  }
}
