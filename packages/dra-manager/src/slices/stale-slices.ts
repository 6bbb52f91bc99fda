import { createLifetime, type Logger, sleep } from '@rxlet/component-base';
import { removeResourceSlices, type RemoveSlicesPorts } from './remove-resource-slices.ts';

/** Ports of {@link createStaleSlices}. */
export interface StaleSlicesPorts extends RemoveSlicesPorts {
  readonly logger: Logger;
}

/**
 * Removes ResourceSlices of drivers that cannot prepare claims, so that the scheduler assigns no devices of theirs: those of the whole node at the start, because each
 * driver publishes its own again when it registers, and later those of a driver that has been gone for 30 seconds.
 */
export interface StaleSlices extends AsyncDisposable {
  start(): void;
  /** Begins the delay of a driver, unless it has begun, or ends it. */
  usabilityChanged(driver: string, isUsable: boolean): void;
}

/** Long enough for the restart of a plugin. */
const DELAY_MS = 30_000;

/** Creates {@link StaleSlices}. */
export function createStaleSlices(ports: StaleSlicesPorts): StaleSlices {
  const lifetime = createLifetime();
  const gone = new Map<string, AbortController>();
  const removeLater = async (driver: string, signal: AbortSignal): Promise<void> => {
    await sleep(ports.clock, DELAY_MS, signal);
    ports.logger.info('removes the ResourceSlices of a DRA driver that is gone', { driver });
    await removeResourceSlices(ports, driver, signal);
  };
  return {
    start() {
      void lifetime.track(removeResourceSlices(ports, undefined, lifetime.signal)).catch(() => undefined);
    },
    usabilityChanged(driver, isUsable) {
      if (isUsable) {
        gone.get(driver)?.abort(new Error('the driver is back'));
        gone.delete(driver);
        return;
      }
      if (gone.has(driver) || lifetime.signal.aborted) return;
      const controller = new AbortController();
      gone.set(driver, controller);
      const removal = removeLater(driver, AbortSignal.any([controller.signal, lifetime.signal]))
        .catch(() => undefined)
        .finally(() => {
          if (gone.get(driver) === controller) gone.delete(driver);
        });
      void lifetime.track(removal);
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
