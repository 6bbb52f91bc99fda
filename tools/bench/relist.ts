import { seededRandom, sleep, systemClock } from '@rxlet/component-base';
import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import { createFakeRuntime, discardLogs } from '@rxlet/fake-cri';
import { createPleg } from '@rxlet/pleg';
import type { BenchRun } from './bench-part.ts';
import { fillRuntime } from './fill-runtime.ts';
import { quantile } from './statistics.ts';
import { withFakeRuntime } from './with-fake-runtime.ts';

const PAUSE_MS = 25;

/** Measures relists without changes: the pod lifecycle event generator alone, with the runtime in another process and in the same. */
export async function benchRelist(run: BenchRun): Promise<void> {
  for (const podCount of [500, 2000]) {
    await withFakeRuntime((client) => measureRelist(run, podCount, 'over a socket', client));
    const ports = { clock: systemClock, random: seededRandom(1), logs: discardLogs };
    await using fake = createFakeRuntime(ports);
    await measureRelist(run, podCount, 'in-process, the list of the fake runtime included', fake);
  }
}

async function measureRelist(
  { print, long }: BenchRun,
  podCount: number,
  where: string,
  services: { readonly runtime: RuntimeService; readonly images: ImageService },
): Promise<void> {
  await fillRuntime(services, podCount);
  const durationsMs: number[] = [];
  const metrics: Metrics = {
    ...noopMetrics,
    histogram: ({ name }) => ({
      observe(seconds) {
        if (name === 'kubelet_pleg_relist_duration_seconds') durationsMs.push(seconds * 1000);
      },
    }),
  };
  await using pleg = createPleg(
    { runtime: services.runtime, clock: systemClock, metrics },
    { runtimeName: 'fake', relistPeriodMs: PAUSE_MS },
  );
  let unread = podCount;
  pleg.events$.subscribe(({ type }) => {
    if (type === 'ContainerStarted') unread -= 0.5; // The container and the sandbox.
  });
  pleg.start();
  // The first relist reads each pod.
  while (unread > 0) await sleep(systemClock, 50);
  await sleep(systemClock, 500);
  durationsMs.length = 0;
  const before = process.cpuUsage();
  const count = long ? 200 : 40;
  while (durationsMs.length < count) await sleep(systemClock, PAUSE_MS);
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000 / durationsMs.length;
  print(
    `relist of ${String(podCount)} pods, ${where}: p50 ${quantile(durationsMs, 0.5).toFixed(1)} ms, p99 ${quantile(durationsMs, 0.99).toFixed(1)} ms, ${cpuMs.toFixed(1)} ms CPU`,
  );
}
