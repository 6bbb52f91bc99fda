import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { expect, it } from 'vitest';
import { createFakeRuntime, type FakeRuntime } from './create-fake-runtime.ts';
import { discardLogs } from './logs/log-sink.ts';

/** Permitted growth per pod life in bytes: less than any of its objects. */
const MAX_BYTES_A_LIFE = 100;

it('leaves the heap as it was after 10,000 pod lives', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const heapBytes = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const clock = createVirtualClock();
  await using fake = createFakeRuntime({ clock, random: seededRandom(1), logs: discardLogs });
  await fake.images.pullImage({ image: { image: 'busybox' } });
  await livePods(fake, 0, 1000);
  const before = heapBytes();
  const lives = 10_000;
  await livePods(fake, 1000, lives);
  expect((heapBytes() - before) / lives).toBeLessThan(MAX_BYTES_A_LIFE);
  expect(fake.snapshot()).toMatchObject({ sandboxes: [], containers: [] });
  expect(clock.pendingTimers).toBe(0);
  const { containerFilesystems } = await fake.images.imageFsInfo({});
  expect(containerFilesystems[0]!.usedBytes!.value).toBe(0n);
});

async function livePods({ runtime }: FakeRuntime, first: number, count: number): Promise<void> {
  for (let index = first; index < first + count; index += 1) {
    const uid = String(index);
    const { podSandboxId } = await runtime.runPodSandbox({
      config: { metadata: { name: `pod-${uid}`, namespace: 'default', uid, attempt: 0 } },
    });
    const { containerId } = await runtime.createContainer({
      podSandboxId,
      config: { metadata: { name: 'main', attempt: 0 }, image: { image: 'busybox' }, command: ['sleep', '3600'] },
    });
    await runtime.startContainer({ containerId });
    await runtime.containerStats({ containerId });
    await runtime.stopContainer({ containerId, timeout: 1n });
    await runtime.stopPodSandbox({ podSandboxId });
    await runtime.removePodSandbox({ podSandboxId });
  }
}
