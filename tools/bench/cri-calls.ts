import { create, toBinary } from '@bufbuild/protobuf';
import { systemClock } from '@rxlet/component-base';
import { ListContainersResponseSchema } from '@rxlet/cri-api';
import type { CriClient } from '@rxlet/cri-client';
import type { BenchRun } from './bench-part.ts';
import { fillRuntime } from './fill-runtime.ts';
import { quantile } from './statistics.ts';
import { withFakeRuntime } from './with-fake-runtime.ts';

/** Measures unary calls a second and the cost of a large list, between two processes on a unix socket. */
export async function benchCriCalls({ print }: BenchRun): Promise<void> {
  await withFakeRuntime(async (client) => {
    for (const concurrency of [1, 32]) {
      await callVersion(client, 2_000, concurrency);
      const count = 10_000;
      const tookMs = await callVersion(client, count, concurrency);
      print(
        `CRI unary calls, concurrency ${String(concurrency)}: ${Math.round((count / tookMs) * 1000).toString()} calls/s`,
      );
    }
    await fillRuntime(client, 1000);
    const samples: number[] = [];
    let bytes = 0;
    for (let round = 0; round < 30; round += 1) {
      const beganMs = systemClock.monotonicNow();
      const response = await client.runtime.listContainers({});
      samples.push(systemClock.monotonicNow() - beganMs);
      bytes = toBinary(ListContainersResponseSchema, create(ListContainersResponseSchema, response)).length;
    }
    print(
      `ListContainers of 1000: p50 ${quantile(samples, 0.5).toFixed(1)} ms, p90 ${quantile(samples, 0.9).toFixed(1)} ms, ${(bytes / 1e6).toFixed(2)} MB decoded`,
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
