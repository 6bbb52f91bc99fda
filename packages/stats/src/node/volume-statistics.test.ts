import type { MountedVolume } from '@rxlet/agent-api/volumes';
import { noopLogger } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { manifestPod } from '@rxlet/pod-model/testing';
import { podUid } from '@rxlet/pod-model';
import { expect, it } from 'vitest';
import { createVolumeStatistics } from './volume-statistics.ts';

it('measures a pod again as soon as another volume of it is mounted, and otherwise once a period', async () => {
  const mounted = new Map<string, MountedVolume>();
  let measurements = 0;
  await using statistics = createVolumeStatistics({
    clock: createVirtualClock(),
    logger: noopLogger,
    fileSystems: { at: async () => ({ timeMs: 0, capacityBytes: 100, availableBytes: 40, usedBytes: 60 }) },
    volumes: { mountedVolumes: () => mounted },
    usage: {
      async usage() {
        measurements += 1;
        return new Map([...mounted.keys()].map((name) => [name, { usedBytes: 48, inodes: 1 }]));
      },
    },
  });
  const pod = manifestPod('web', {
    volumes: ['cache', 'data'].map((name) => ({ name, emptyDir: {} })),
  });
  const measuredNames = async (): Promise<unknown> => {
    await statistics.refresh([pod]);
    return statistics.ofPod(podUid(pod))?.map(({ stats }) => [stats.name, stats.usedBytes]);
  };
  expect(await measuredNames()).toEqual([]);
  mounted.set('cache', { hostPath: '/pods/cache' } as MountedVolume);
  expect(await measuredNames()).toEqual([['cache', 48]]);
  mounted.set('data', { hostPath: '/pods/data' } as MountedVolume);
  const both = [
    ['cache', 48],
    ['data', 48],
  ];
  expect(await measuredNames()).toEqual(both);
  mounted.delete('cache');
  expect(await measuredNames()).toEqual(both);
  expect(measurements).toBe(3);
});
