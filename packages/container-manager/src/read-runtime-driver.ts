import { type Clock, errorMessage, type Logger, sleep, withDeadline } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import { CgroupDriver as RuntimeDriver, isUnimplemented, type RuntimeService } from '@rxlet/cri-api';
import type { CgroupDriver } from '@rxlet/pod-model/cgroups';
import { reportLosingSupport } from './metrics.ts';

/** Dependencies of {@link readRuntimeDriver}. */
export interface RuntimeDriverPorts {
  readonly runtime: Pick<RuntimeService, 'runtimeConfig'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const ATTEMPTS = 3;
const PAUSE_MS = 2_000;
const TIMEOUT_MS = 10_000;
/** Kubernetes release whose kubelet needs the call. */
const REQUIRED_SINCE = '1.37.0';

/**
 * Asks the runtime for its cgroup driver. Returns `undefined` for a runtime that does not know the call, as containerd before 2.0, and reports by a metric
 * which release will not support that runtime.
 * Rejects after three failed attempts.
 */
export async function readRuntimeDriver(
  { runtime, clock, logger, metrics }: RuntimeDriverPorts,
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
      if (isUnimplemented(error)) {
        logger.info('the runtime does not report its cgroup driver, the configured one is used');
        reportLosingSupport(metrics, REQUIRED_SINCE);
        return undefined;
      }
      if (attempt === ATTEMPTS) throw error;
      logger.warn('cannot read the cgroup driver of the runtime', { error: errorMessage(error) });
    }
    await sleep(clock, PAUSE_MS, signal);
  }
}
