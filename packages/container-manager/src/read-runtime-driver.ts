import { type Clock, errorMessage, type Logger, sleep, withDeadline } from '@rxlet/component-base';
import { CgroupDriver as RuntimeDriver, isUnimplemented, type RuntimeService } from '@rxlet/cri-api';
import type { CgroupDriver } from '@rxlet/pod-model/cgroups';

/** Dependencies of {@link readRuntimeDriver}. */
export interface RuntimeDriverPorts {
  readonly runtime: Pick<RuntimeService, 'runtimeConfig'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const ATTEMPTS = 3;
const PAUSE_MS = 2_000;
const TIMEOUT_MS = 10_000;

/**
 * Asks the runtime for its cgroup driver. Returns `undefined` for a runtime that does not know the call, as containerd before 2.0.
 * Rejects after three failed attempts.
 */
export async function readRuntimeDriver(
  { runtime, clock, logger }: RuntimeDriverPorts,
  signal: AbortSignal,
): Promise<CgroupDriver | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { linux } = await withDeadline(clock, TIMEOUT_MS, signal, (bounded) =>
        runtime.runtimeConfig({}, { signal: bounded }),
      );
      if (linux === undefined) return undefined;
      return linux.cgroupDriver === RuntimeDriver.SYSTEMD ? 'systemd' : 'cgroupfs';
    } catch (error) {
      signal.throwIfAborted();
      if (isUnimplemented(error)) return undefined;
      if (attempt === ATTEMPTS) throw error;
      logger.warn('cannot read the cgroup driver of the runtime', { error: errorMessage(error) });
    }
    await sleep(clock, PAUSE_MS, signal);
  }
}
