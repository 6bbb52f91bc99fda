import type { Volume } from '@rxlet/kube-api';
import { formatQuantity } from '@rxlet/pod-model/quantity';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import type { PodUse } from './node-summary.ts';
import { diskUsage, hasUnmeasuredVolume, rankedRequest } from './pod-usage.ts';

const podRef = { uid: 'uid-web' };
const volumes = (...all: Volume[]) => testPod({ spec: { volumes: all } });

describe('diskUsage', () => {
  const container = {
    name: 'app',
    rootfs: { usedBytes: 1, inodesUsed: 10 },
    logs: { usedBytes: 2, inodesUsed: 20 },
  };
  const use: PodUse = {
    podRef,
    containers: [container, container],
    volume: [{ name: 'v', usedBytes: 4, inodesUsed: 40 }],
  };

  it('adds the requested parts', () => {
    const pod = volumes({ name: 'v', emptyDir: {} });
    expect(diskUsage(pod, use, ['writableLayers'])).toEqual({ bytes: 2, inodes: 20 });
    expect(diskUsage(pod, use, ['logs'])).toEqual({ bytes: 4, inodes: 40 });
    expect(diskUsage(pod, use, ['localVolumes'])).toEqual({ bytes: 4, inodes: 40 });
    expect(diskUsage(pod, use, ['writableLayers', 'logs', 'localVolumes'])).toEqual({ bytes: 10, inodes: 100 });
    expect(diskUsage({}, { podRef, containers: null }, ['logs', 'localVolumes'])).toEqual({ bytes: 0, inodes: 0 });
  });

  it.each<[Omit<Volume, 'name'>, number]>([
    [{ emptyDir: {} }, 4],
    [{ emptyDir: { medium: '' } }, 4],
    [{ emptyDir: { medium: 'Memory' } }, 0],
    [{ hostPath: { path: '/' } }, 4],
    [{ gitRepo: { repository: 'r' } }, 4],
    [{ configMap: { name: 'c' } }, 4],
    [{ secret: { secretName: 's' } }, 0],
    [{ persistentVolumeClaim: { claimName: 'c' } }, 0],
  ])('counts the volume %j with %i bytes', (source, bytes) => {
    expect(diskUsage(volumes({ name: 'v', ...source }), use, ['localVolumes']).bytes).toBe(bytes);
  });
});

it('looks at each measured volume once, however many a pod has', () => {
  let reads = 0;
  const many = Array.from({ length: 100 }, (_, index) => `v${String(index)}`);
  const measured = many.map((name) => ({
    get name() {
      reads += 1;
      return name;
    },
    usedBytes: 1,
    inodesUsed: 2,
  }));
  const pod = volumes(...many.map((name) => ({ name, emptyDir: {} })));
  const use: PodUse = { podRef, containers: null, volume: measured };
  expect([hasUnmeasuredVolume(pod, use), reads]).toEqual([false, 100]);
  expect([diskUsage(pod, use, ['localVolumes']), reads]).toEqual([{ bytes: 100, inodes: 200 }, 200]);
});

describe('hasUnmeasuredVolume', () => {
  it.each<[string, readonly Volume[], readonly string[] | undefined, boolean]>([
    ['an emptyDir that is not measured', [{ name: 'v', emptyDir: {} }], ['other'], true],
    ['an emptyDir of a pod without measured volumes', [{ name: 'v', emptyDir: {} }], undefined, true],
    ['a measured emptyDir', [{ name: 'v', emptyDir: {} }], ['other', 'v'], false],
    ['an emptyDir in memory', [{ name: 'v', emptyDir: { medium: 'Memory' } }], [], false],
    ['another volume', [{ name: 'v', hostPath: { path: '/' } }], [], false],
    [
      'a second emptyDir',
      [
        { name: 'v', emptyDir: {} },
        { name: 'w', emptyDir: {} },
      ],
      ['v'],
      true,
    ],
    ['no volume', [], [], false],
  ])('decides for %s', (_title, all, measured, expected) => {
    const volume = measured?.map((name) => ({ name }));
    expect(hasUnmeasuredVolume(volumes(...all), { podRef, containers: null, ...(volume && { volume }) })).toBe(
      expected,
    );
  });

  it('finds none in a pod without volumes', () => {
    for (const pod of [testPod(), {}]) expect(hasUnmeasuredVolume(pod, { podRef, containers: null })).toBe(false);
  });
});

describe('rankedRequest', () => {
  const requests = { memory: '1Gi', 'ephemeral-storage': '2Gi' };
  const containers = [{ resources: { requests } }];
  const overhead = { memory: '1Mi', 'ephemeral-storage': '1Mi' };
  const ranked = (pod: Parameters<typeof rankedRequest>[0], resource: string): string =>
    formatQuantity(rankedRequest(pod, resource));

  it('adds the overhead to requests, if there are any', () => {
    expect(ranked(testPod({ containers }), 'memory')).toBe('1Gi');
    expect(ranked(testPod({ containers, spec: { overhead } }), 'memory')).toBe('1025Mi');
    expect(ranked(testPod({ spec: { overhead } }), 'memory')).toBe('0');
    expect(ranked({}, 'memory')).toBe('0');
  });

  it('is that of the pod as a whole, which has no request for ephemeral storage', () => {
    const whole = testPod({ containers, spec: { overhead, resources: { requests: { memory: '3Gi' } } } });
    expect(ranked(whole, 'memory')).toBe('3073Mi');
    expect(ranked(whole, 'ephemeral-storage')).toBe('0');
    const limited = testPod({ containers, spec: { resources: { limits: { cpu: '1' } } } });
    expect(ranked(limited, 'memory')).toBe('0');
  });
});
