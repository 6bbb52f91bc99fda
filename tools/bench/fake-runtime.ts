import { seededRandom, systemClock } from '@rxlet/component-base';
import { createFakeRuntime, discardLogs } from '@rxlet/fake-cri';
import type { BenchRun } from './bench-part.ts';
import { liveHeapBytes } from './heap.ts';
import { quantile } from './statistics.ts';

const PODS = 1000;
const CONTAINERS_PER_POD = 3;

/** Measures 1,000 pods with 3 containers each in one fake runtime in this process: memory, and the time of a list. */
export async function benchFakeRuntime({ print }: BenchRun): Promise<void> {
  const ports = { clock: systemClock, random: seededRandom(1), logs: discardLogs };
  await using fake = createFakeRuntime(ports);
  const { runtime, images } = fake;
  await images.pullImage({ image: { image: 'busybox' } });
  const beforeBytes = liveHeapBytes();
  for (let pod = 0; pod < PODS; pod += 1) {
    const uid = String(pod);
    const sandbox = { metadata: { name: `pod-${uid}`, namespace: 'default', uid, attempt: 0 } };
    const { podSandboxId } = await runtime.runPodSandbox({ config: sandbox });
    for (let index = 0; index < CONTAINERS_PER_POD; index += 1) {
      const config = { metadata: { name: `c${String(index)}`, attempt: 0 }, image: { image: 'busybox' } };
      const { containerId } = await runtime.createContainer({ podSandboxId, config });
      await runtime.startContainer({ containerId });
    }
  }
  const count = PODS * CONTAINERS_PER_POD;
  const bytes = (liveHeapBytes() - beforeBytes) / count;
  const samples: number[] = [];
  for (let round = 0; round < 30; round += 1) {
    const beganMs = systemClock.monotonicNow();
    await runtime.listContainers({});
    samples.push(systemClock.monotonicNow() - beganMs);
  }
  print(
    `Fake runtime in-process, ${String(PODS)} pods: ListContainers of ${String(count)}: p50 ${quantile(samples, 0.5).toFixed(2)} ms, ` +
      `p90 ${quantile(samples, 0.9).toFixed(2)} ms; ${(bytes / 1024).toFixed(1)} KiB of heap a container, its share of the pod included`,
  );
}
