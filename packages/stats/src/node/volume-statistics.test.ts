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

it('measures the other volumes while file systems do not answer, with two calls to them at most', async () => {
  const clock = createVirtualClock();
  let calls = 0;
  await using statistics = createVolumeStatistics({
    clock,
    logger: noopLogger,
    fileSystems: {
      async at(path) {
        if (!path.endsWith('/share')) return { timeMs: 0, capacityBytes: 100, availableBytes: 40, usedBytes: 60 };
        calls += 1;
        return new Promise(() => undefined);
      },
    },
    volumes: {
      mountedVolumes: (uid) =>
        new Map(['share', 'cache'].map((name) => [name, { hostPath: `/pods/${uid}/${name}` } as MountedVolume])),
    },
    usage: { usage: async () => new Map([['cache', { usedBytes: 48, inodes: 1 }]]) },
  });
  const pods = ['one', 'two', 'three'].map((name) =>
    manifestPod(name, {
      volumes: [
        { name: 'share', nfs: { server: 'unreachable', path: '/' } },
        { name: 'cache', emptyDir: {} },
      ],
    }),
  );
  for (let count = 0; count < 10; count += 1) {
    const refreshed = statistics.refresh(pods);
    await clock.advance(60_000);
    await refreshed;
  }
  expect(calls).toBeLessThanOrEqual(2);
  for (const pod of pods) expect(statistics.ofPod(podUid(pod))?.map(({ stats }) => stats.name)).toEqual(['cache']);
});

it('has the usage of a block volume that its driver measures', async () => {
  const devices = ['disk', 'unmeasured'];
  const limits = { capacityBytes: 100, availableBytes: 40, inodes: 0, inodesFree: 0 };
  await using statistics = createVolumeStatistics({
    clock: createVirtualClock(),
    logger: noopLogger,
    fileSystems: { at: async () => expect.unreachable() },
    volumes: {
      mountedVolumes: () => new Map(devices.map((name) => [name, { hostPath: '' } as MountedVolume])),
    },
    usage: { usage: async () => new Map([['disk', { usedBytes: 60, inodes: 0, limits }]]) },
  });
  const pod = manifestPod('db', {
    volumes: devices.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
  });
  await statistics.refresh([pod]);
  expect(statistics.ofPod(podUid(pod))?.map(({ stats }) => [stats.name, stats.usedBytes, stats.capacityBytes])).toEqual(
    [['disk', 60, 100]],
  );
});

it('forgets pods that have ended, also when only some pods are measured', async () => {
  await using statistics = createVolumeStatistics({
    clock: createVirtualClock(),
    logger: noopLogger,
    fileSystems: { at: async () => ({ timeMs: 0, capacityBytes: 100, availableBytes: 40, usedBytes: 60 }) },
    volumes: { mountedVolumes: () => new Map() },
    usage: { usage: async () => new Map() },
  });
  const [ended, running] = [manifestPod('ended'), manifestPod('running')];
  const limited = new Set([podUid(ended), podUid(running)]);
  await statistics.refreshSoon([ended, running], limited);
  expect(statistics.ofPod(podUid(ended))).toEqual([]);
  await statistics.refreshSoon([running], limited);
  expect(statistics.ofPod(podUid(ended))).toBeUndefined();
  expect(statistics.ofPod(podUid(running))).toEqual([]);
});
