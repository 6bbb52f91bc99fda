import { type Clock, createLifetime, errorMessage, type Logger } from '@rxlet/component-base';
import { createEmitter } from '@rxlet/component-base/streams';
import type { NodeFiles } from '@rxlet/node-files';
import { createCheckpointFile } from '@rxlet/node-files/state-file';
import type { Observable } from 'rxjs';
import type { ClaimDevice, ClaimRecords } from '../claims/claim-record.ts';
import {
  currentHealth,
  deviceKey,
  type DriverHealth,
  type Health,
  type ReportedHealth,
  updateHealth,
} from './device-health.ts';
import { formatHealth, HEALTH_FILE, parseHealth } from './health-file.ts';

/** Ports of {@link createHealthStore}. */
export interface HealthStorePorts {
  readonly clock: Clock;
  readonly files: Pick<NodeFiles, 'readPrivate' | 'replaceFile'>;
  readonly logger: Logger;
  /** Claims, by which devices belong to pods. */
  readonly records: Pick<ClaimRecords, 'list'>;
}

/** Health of the devices of all drivers, kept over a restart. Failures of the file are logged: health is reported again. */
export interface HealthStore extends AsyncDisposable {
  restore(): Promise<void>;
  report(driver: string, devices: readonly ReportedHealth[]): void;
  /** Forgets the health of a driver that reports none any more. */
  clear(driver: string): void;
  of(driver: string, device: ClaimDevice): { readonly health: Health; readonly message: string };
  /** UIDs of pods that use a device whose health has changed. Hot. */
  readonly changedPods$: Observable<string>;
}

/** Creates a {@link HealthStore}. */
export function createHealthStore(
  { clock, files, logger, records }: HealthStorePorts,
  rootDirectory: string,
): HealthStore {
  const lifetime = createLifetime();
  const changedPods = createEmitter<string>();
  let drivers = new Map<string, DriverHealth>();
  const file = createCheckpointFile(files, `${rootDirectory}/${HEALTH_FILE}`, () => formatHealth(drivers));

  const saveInBackground = (): void => {
    const saving = file.write().catch((error: unknown) => {
      logger.error('cannot save the health of devices', { error: errorMessage(error) });
    });
    void lifetime.track(saving);
  };
  const changed = (driver: string, keys: ReadonlySet<string>): void => {
    if (keys.size === 0) return;
    saveInBackground();
    const isAffected = ({ poolName, deviceName }: ClaimDevice): boolean => keys.has(deviceKey(poolName, deviceName));
    const affected = records.list().filter((claim) => claim.drivers.get(driver)?.some(isAffected) === true);
    for (const podUid of new Set(affected.flatMap(({ podUids }) => [...podUids]))) changedPods.emit(podUid);
  };

  return {
    async restore() {
      try {
        const text = await file.read();
        if (text !== undefined) drivers = parseHealth(text);
      } catch (error) {
        logger.error('cannot read the health of devices', { error: errorMessage(error) });
      }
    },
    report(driver, reported) {
      const update = updateHealth(drivers.get(driver) ?? new Map(), reported, clock.now());
      drivers.set(driver, update.devices);
      changed(driver, new Set(update.changed));
    },
    clear(driver) {
      const before = drivers.get(driver);
      drivers.delete(driver);
      changed(driver, new Set(before?.keys()));
    },
    of: (driver, { poolName, deviceName }) =>
      currentHealth(drivers.get(driver)?.get(deviceKey(poolName, deviceName)), clock.now()),
    changedPods$: changedPods.values$,
    async [Symbol.asyncDispose]() {
      await lifetime[Symbol.asyncDispose]();
      changedPods.complete();
    },
  };
}
