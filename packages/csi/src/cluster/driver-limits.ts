import { type Clock, createLifetime, createProblemLog, errorMessage, type Logger, sleep } from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import type { CSIDriver } from '@rxlet/kube-api';
import type { Observable } from 'rxjs';
import type { RegisteredCsiDriver } from '../csi-drivers.ts';

/** Ports of {@link createDriverLimits}. */
export interface DriverLimitsPorts {
  readonly drivers: {
    readonly registered$: Observable<readonly RegisteredCsiDriver[]>;
    /** Reads the limit of volumes of a driver again. */
    refresh(driverName: string, signal: AbortSignal): Promise<void>;
  };
  readonly objects: {
    /** Returns the CSIDriver object of a driver. */
    find(driverName: string): CSIDriver | undefined;
    /** Emits after each change of a CSIDriver object. */
    readonly changes$: Observable<unknown>;
  };
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keeps the limits of volumes of the node's drivers up to date, for drivers whose CSIDriver object has a period (`nodeAllocatableUpdatePeriodSeconds`). */
export interface DriverLimits extends AsyncDisposable {
  start(): void;
}

/** Creates {@link DriverLimits}. There is one timer for each such driver. */
export function createDriverLimits({ drivers, objects, clock, logger }: DriverLimitsPorts): DriverLimits {
  const lifetime = createLifetime();
  const tickers = new Map<string, { readonly periodMs: number; readonly stop: AbortController }>();
  let names: readonly string[] = [];

  const tick = async (name: string, periodMs: number, signal: AbortSignal): Promise<void> => {
    const problems = createProblemLog(logger);
    for (;;) {
      await sleep(clock, periodMs, signal);
      try {
        await drivers.refresh(name, signal);
        problems.ended();
      } catch (error) {
        signal.throwIfAborted();
        problems.failed('cannot read the limit of volumes of a CSI driver', {
          driver: name,
          error: errorMessage(error),
        });
      }
    }
  };
  const periodMsOf = (name: string): number | undefined => {
    const seconds = objects.find(name)?.spec.nodeAllocatableUpdatePeriodSeconds ?? 0;
    return names.includes(name) && seconds > 0 ? seconds * 1000 : undefined;
  };
  const update = (): void => {
    for (const name of new Set([...tickers.keys(), ...names])) {
      const periodMs = periodMsOf(name);
      const ticker = tickers.get(name);
      if (ticker?.periodMs === periodMs) continue;
      ticker?.stop.abort();
      tickers.delete(name);
      if (periodMs === undefined) continue;
      const stop = new AbortController();
      tickers.set(name, { periodMs, stop });
      const signal = AbortSignal.any([stop.signal, lifetime.signal]);
      // Ends with its signal alone.
      void lifetime.track(tick(name, periodMs, signal)).catch(() => undefined);
    }
  };
  return {
    start() {
      const task = 'keeping the limits of CSI drivers up to date';
      const subscriptions = [
        follow(drivers.registered$, {
          task,
          logger,
          next(registered) {
            names = registered.map(({ name }) => name);
            update();
          },
        }),
        follow(objects.changes$, { task, logger, next: update }),
      ];
      lifetime.defer(() => subscriptions.forEach((subscription) => subscription.unsubscribe()));
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
