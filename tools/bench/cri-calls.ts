import { toBinary } from '@bufbuild/protobuf';
import { systemClock } from '@rxlet/component-base';
import { ListContainersResponseSchema } from '@rxlet/cri-api';
import type { CriClient } from '@rxlet/cri-client';
import { withFakeRuntime } from './with-fake-runtime.ts';

/** Unary calls a second, and the cost of a large list, between two processes on a unix socket. */
export async function benchCriCalls(print: (line: string) => void): Promise<void> {
  await withFakeRuntime(async (client) => {
    for (const concurrency of [1, 32]) {
      await callVersion(client, 2_000, concurrency);
      const count = 10_000;
      const tookMs = await callVersion(client, count, concurrency);
      print(
        `CRI unary calls, concurrency ${String(concurrency)}: ${Math.round((count / tookMs) * 1000).toString()} calls/s`,
      );
    }
    await fill(client, 1000);
    const samples: number[] = [];
    let bytes = 0;
    for (let round = 0; round < 30; round += 1) {
      const beganMs = systemClock.monotonicNow();
      const response = await client.runtime.listContainers({});
      samples.push(systemClock.monotonicNow() - beganMs);
      bytes = toBinary(ListContainersResponseSchema, response).length;
    }
    samples.sort((left, right) => left - right);
    print(
      `ListContainers of 1000: p50 ${samples[15]!.toFixed(1)} ms, p90 ${samples[27]!.toFixed(1)} ms, ${(bytes / 1e6).toFixed(2)} MB decoded`,
    );
  });
}

async function callVersion({ runtime }: CriClient, count: number, concurrency: number): Promise<number> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await runtime.version({});
    }
  };
  const beganMs = systemClock.monotonicNow();
  await Promise.all(Array.from({ length: concurrency }, worker));
  return systemClock.monotonicNow() - beganMs;
}

async function fill({ runtime, images }: CriClient, count: number): Promise<void> {
  await images.pullImage({ image: { image: 'busybox:1.36' } });
  for (let index = 0; index < count; index += 1) {
    const uid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const labels = {
      'io.kubernetes.pod.name': `pod-${String(index)}`,
      'io.kubernetes.pod.namespace': 'default',
      'io.kubernetes.pod.uid': uid,
    };
    const sandboxConfig = { metadata: { name: `pod-${String(index)}`, namespace: 'default', uid, attempt: 0 }, labels };
    const { podSandboxId } = await runtime.runPodSandbox({ config: sandboxConfig });
    const { containerId } = await runtime.createContainer({
      podSandboxId,
      sandboxConfig,
      config: {
        metadata: { name: 'main', attempt: 0 },
        image: { image: 'busybox:1.36' },
        labels: { ...labels, 'io.kubernetes.container.name': 'main' },
        annotations: {
          'io.kubernetes.container.hash': 'a1b2c3d4',
          'io.kubernetes.container.restartCount': '0',
          'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
          'io.kubernetes.container.terminationMessagePolicy': 'File',
          'io.kubernetes.pod.terminationGracePeriod': '30',
        },
      },
    });
    await runtime.startContainer({ containerId });
  }
}
