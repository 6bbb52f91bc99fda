import { type Clock, errorMessage, type Logger } from '@rxlet/component-base';
import type { LogindConnection } from './logind.ts';
import { raiseInhibitDelay } from './raise-inhibit-delay.ts';

/** The lock that delays shutdowns, as long as it is held. */
export interface Inhibitor {
  /** Makes the delay long enough for all pods. @returns the delay in milliseconds */
  prepare(connection: LogindConnection, signal: AbortSignal): Promise<number>;
  /** Takes a new lock in place of the previous one. */
  acquire(connection: LogindConnection, signal: AbortSignal): Promise<void>;
  /** Gives the lock back, if there is one. Never rejects. */
  release(): Promise<void>;
  isHeld(): boolean;
}

/** Creates an {@link Inhibitor} for pods that need so many seconds. */
export function createInhibitor(
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  seconds: number,
): Inhibitor {
  let lock: AsyncDisposable | undefined;
  const release = async (): Promise<void> => {
    const held = lock;
    lock = undefined;
    try {
      await held?.[Symbol.asyncDispose]();
    } catch (error) {
      logger.warn('cannot give back the lock that delays shutdowns', { error: errorMessage(error) });
    }
  };
  return {
    prepare: (connection, signal) => raiseInhibitDelay(connection, clock, seconds, signal),
    async acquire(connection, signal) {
      const taken = await connection.inhibitShutdown(signal);
      await release();
      lock = taken;
    },
    release,
    isHeld: () => lock !== undefined,
  };
}
