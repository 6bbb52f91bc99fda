import { createVirtualClock, recordingLogger, recordingMetrics } from '@rxlet/component-base/testing';
import {
  CgroupDriver as RuntimeDriver,
  type RuntimeConfigResponse,
  type RuntimeService,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { readRuntimeDriver } from './read-runtime-driver.ts';

const LOSING_SUPPORT = 'kubelet_cri_losing_support{version="1.37.0"}';

function bench(...answers: readonly (RuntimeDriver | Error)[]) {
  const clock = createVirtualClock();
  const metrics = recordingMetrics();
  let calls = 0;
  const runtime: Pick<RuntimeService, 'runtimeConfig'> = {
    async runtimeConfig() {
      const answer = answers[Math.min(calls++, answers.length - 1)];
      if (answer instanceof Error) throw answer;
      return { linux: { cgroupDriver: answer } } as RuntimeConfigResponse;
    },
  };
  const driver = readRuntimeDriver(
    { runtime, clock, logger: recordingLogger(), metrics },
    new AbortController().signal,
  );
  driver.catch(() => undefined);
  return { clock, metrics, driver, calls: () => calls };
}

const unavailable = new ServiceError(StatusCode.Unavailable, 'starting');

describe('the cgroup driver of a runtime', () => {
  it.each([
    [RuntimeDriver.SYSTEMD, 'systemd'],
    [RuntimeDriver.CGROUPFS, 'cgroupfs'],
  ] as const)('is read from the runtime (%s), which keeps its support', async (answer, expected) => {
    const { driver, metrics } = bench(answer);
    expect(await driver).toBe(expected);
    expect([...metrics.values.keys()]).toEqual([]);
  });

  it('is left to the configuration by a runtime without the call, and the loss of its support is reported', async () => {
    const { driver, metrics, calls } = bench(new ServiceError(StatusCode.Unimplemented, 'unknown method'));
    expect(await driver).toBeUndefined();
    expect(calls()).toBe(1);
    expect([...metrics.values]).toEqual([[LOSING_SUPPORT, 1]]);
  });

  it('is asked for again while the runtime is unavailable, three times at most', async () => {
    const recovered = bench(unavailable, RuntimeDriver.SYSTEMD);
    await recovered.clock.advance(2_000);
    expect(await recovered.driver).toBe('systemd');
    const gone = bench(unavailable);
    await gone.clock.advance(4_000);
    await expect(gone.driver).rejects.toBe(unavailable);
    expect(gone.calls()).toBe(3);
    expect([...gone.metrics.values.keys()]).toEqual([]);
  });
});
