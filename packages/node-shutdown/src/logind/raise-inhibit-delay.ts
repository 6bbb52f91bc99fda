import { type Clock, sleep } from '@rxlet/component-base';
import { formatGoDuration } from '@rxlet/component-base/go';
import type { LogindConnection } from './logind.ts';

const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 100;

/**
 * Raises the longest delay of a shutdown to the time that the pods need, unless it is long enough. Returns the delay that is in effect.
 *
 * @throws Error when the login manager keeps a shorter delay
 */
export async function raiseInhibitDelay(
  logind: Pick<LogindConnection, 'inhibitDelayMs' | 'overrideInhibitDelay'>,
  clock: Clock,
  seconds: number,
  signal: AbortSignal,
): Promise<number> {
  const neededMs = seconds * 1000;
  let currentMs = await logind.inhibitDelayMs(signal);
  if (currentMs >= neededMs) return currentMs;
  await logind.overrideInhibitDelay(seconds, signal);
  // The configuration is read some time after the request.
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    currentMs = await logind.inhibitDelayMs(signal);
    if (currentMs >= neededMs) return currentMs;
    if (attempt < ATTEMPTS) await sleep(clock, FIRST_PAUSE_MS * 2 ** (attempt - 1), signal);
  }
  const [wanted, current] = [neededMs, currentMs].map((ms) => formatGoDuration(ms));
  throw new Error(
    `node shutdown manager was timed out after ${String(ATTEMPTS)} attempts waiting for logind InhibitDelayMaxSec to update to ${wanted!} (ShutdownGracePeriod), current value is ${current!}`,
  );
}
