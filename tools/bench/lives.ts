import { createAgent } from '@rxlet/agent';
import { standalone } from '@rxlet/kubelet';
import { imageManagement } from '@rxlet/image-manager';
import { seededRandom, systemClock } from '@rxlet/component-base';
import { createPrometheusMetrics } from '@rxlet/component-base/prometheus';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, discardLogs } from '@rxlet/fake-cri';
import type { Pod } from '@rxlet/kube-api';
import { createManualSource, podsFrom } from '@rxlet/pod-config';
import { defaultPod } from '@rxlet/pod-model/defaults';
import { makeStaticPod } from '@rxlet/pod-source';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { Registry } from 'prom-client';
import type { BenchRun } from './bench-part.ts';
import { liveHeapBytes } from './heap.ts';
import { IMAGE } from './manifests.ts';

/** Pods that live at the same time. */
const BATCH = 100;

/**
 * Measures the heap that a removed pod leaves behind: a whole agent and a fake runtime in this process, on the virtual clock, through many lives of pods with
 * different names. Bounded records of the agent, such as events, are full after the first step.
 */
export async function benchLives({ print, long }: BenchRun): Promise<void> {
  const [steps, livesPerStep] = long ? [5, 10_000] : [4, 1_000];
  const clock = createVirtualClock();
  const random = seededRandom(1);
  await using fake = createFakeRuntime({ clock, random, logs: discardLogs });
  const source = createManualSource('file');
  const files = createMemoryFiles({
    files: { '/etc/hosts': '127.0.0.1 localhost\n', '/etc/resolv.conf': 'nameserver 192.0.2.53\n' },
  });
  await using agent = await createAgent(
    {
      runtime: fake.runtime,
      images: fake.images,
      clock,
      random,
      files: files.nodeFiles,
      hostFiles: files.hostFiles,
      metrics: createPrometheusMetrics(new Registry()),
      node: {
        name: 'bench',
        rootDirectory: '/root',
        podLogsDirectory: '/logs',
        memoryCapacityBytes: 8n << 30n,
        nodeIps: ['192.0.2.1'],
      },
    },
    [
      podsFrom(source),
      ...standalone([
        imageManagement({ readFsStats: () => Promise.resolve({ capacityBytes: 1e12, availableBytes: 9e11 }) }),
      ]),
    ],
  );
  await agent.start();
  source.set([]);
  let lives = 0;
  const live = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= BATCH) {
      source.set(Array.from({ length: BATCH }, () => pod(lives++)));
      await clock.runUntil(
        () => agent.pods.list().filter(({ status }) => status?.phase === 'Running').length === BATCH,
      );
      source.set([]);
      await clock.runUntil(() => agent.pods.list().length === 0 && fake.snapshot().sandboxes.length === 0);
    }
    // Time for delayed work on removed pods.
    await clock.advance(120_000);
  };
  await live(livesPerStep);
  let bytes = liveHeapBytes();
  const [firstBytes, beganMs] = [bytes, systemClock.monotonicNow()];
  const growth: string[] = [];
  for (let step = 1; step < steps; step += 1) {
    await live(livesPerStep);
    const nowBytes = liveHeapBytes();
    growth.push(((nowBytes - bytes) / livesPerStep).toFixed(1));
    bytes = nowBytes;
  }
  const tookMs = systemClock.monotonicNow() - beganMs;
  const measured = livesPerStep * (steps - 1);
  print(
    `heap over ${String(lives)} lives of pods, after the first ${String(livesPerStep)}: ${((bytes - firstBytes) / measured).toFixed(1)} bytes a life ` +
      `(by steps of ${String(livesPerStep)}: ${growth.join(', ')}), ${(bytes / 2 ** 20).toFixed(1)} MiB in all; ${(tookMs / measured).toFixed(2)} ms a life`,
  );
}

function pod(index: number): Pod {
  const manifest: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `pod-${String(index)}` },
    spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: IMAGE, command: ['serve'] }] },
  };
  return defaultPod(makeStaticPod(manifest, { nodeName: 'bench', origin: { file: `/pod-${String(index)}.yaml` } }));
}
