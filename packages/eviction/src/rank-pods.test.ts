import type { EvictionSignal } from '@rxlet/pod-model/eviction-thresholds';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import type { FileSystemLayout, PodUse } from './node-summary.ts';
import { rankPods } from './rank-pods.ts';
import { memoryPod, memoryUse } from './test-support.ts';

function order(
  signal: EvictionSignal,
  pods: Parameters<typeof rankPods>[2],
  uses: readonly PodUse[],
  layout: FileSystemLayout = 'shared',
): string[] {
  const usage = new Map(uses.map((use) => [use.podRef.uid, use]));
  return rankPods(signal, layout, pods, usage).map(({ pod }) => pod.metadata!.name!);
}

describe('rankPods', () => {
  it('ranks by usage over the request, then priority, then by how much', () => {
    const pods = [
      memoryPod('within', 500),
      memoryPod('high', 10, { priority: 9 }),
      memoryPod('less', 100),
      memoryPod('more', 100),
      memoryPod('unknown', 100, { priority: 100 }),
    ];
    const uses = [memoryUse('within', 400), memoryUse('high', 900), memoryUse('less', 150), memoryUse('more', 300)];
    expect(order('memory.available', pods, uses)).toEqual(['unknown', 'more', 'less', 'high', 'within']);
  });

  it('ranks pods that use exactly what they request as within it', () => {
    const pods = [memoryPod('exact', 100), memoryPod('above', 100, { priority: 5 })];
    expect(order('memory.available', pods, [memoryUse('exact', 100), memoryUse('above', 101)])).toEqual([
      'above',
      'exact',
    ]);
  });

  it('ranks pods without statistics first, and among each other by priority', () => {
    const pods = [memoryPod('known', 1), memoryPod('high', 1, { priority: 1 }), memoryPod('low', 1)];
    const uses = [memoryUse('known', 900)];
    expect(order('memory.available', pods, uses)).toEqual(['low', 'high', 'known']);
    expect(order('memory.available', pods.toReversed(), uses)).toEqual(['low', 'high', 'known']);
  });

  it('ranks a pod without a spec by priority 0 and no request', () => {
    const pods = [
      memoryPod('above', 0, { priority: 1 }),
      { metadata: { name: 'bare', uid: 'uid-bare' } },
      memoryPod('below', 0, { priority: -1 }),
    ];
    const uses = ['above', 'bare', 'below'].map((name) => memoryUse(name, 1));
    expect(order('memory.available', pods, uses)).toEqual(['below', 'bare', 'above']);
    expect(order('memory.available', pods.toReversed(), uses)).toEqual(['below', 'bare', 'above']);
  });

  it('ranks by priority before anything else when processes run out', () => {
    const pods = [testPod({ name: 'unknown' }), testPod({ name: 'idle', spec: { priority: -1 } })];
    const idle = { podRef: { uid: 'uid-idle' }, containers: null, process_stats: { process_count: 0 } };
    expect(order('pid.available', pods, [idle])).toEqual(['idle', 'unknown']);
  });

  it('ranks by usage of disk above the request, and by inodes less the requested bytes', () => {
    const requests = { 'ephemeral-storage': '50' };
    const pods = [testPod({ name: 'requests', containers: [{ resources: { requests } }] }), testPod({ name: 'plain' })];
    const uses = ['requests', 'plain'].map((name, index) => ({
      podRef: { uid: `uid-${name}` },
      containers: [{ name: 'app', logs: { usedBytes: 70 - index * 20, inodesUsed: 70 - index * 20 } }],
    }));
    expect(order('nodefs.available', pods, uses)).toEqual(['plain', 'requests']);
    expect(order('nodefs.inodesFree', pods, uses)).toEqual(['plain', 'requests']);
  });

  it('ranks by priority, then the number of processes', () => {
    const pods = [
      testPod({ name: 'few' }),
      testPod({ name: 'many' }),
      testPod({ name: 'low', spec: { priority: -1 } }),
    ];
    const use = (name: string, count: number): PodUse => ({
      podRef: { uid: `uid-${name}` },
      containers: null,
      process_stats: { process_count: count },
    });
    expect(order('pid.available', pods, [use('few', 2), use('many', 300), use('low', 1)])).toEqual([
      'low',
      'many',
      'few',
    ]);
  });

  it('counts the parts of a pod that use the file system', () => {
    const volumes = [
      { name: 'cache', emptyDir: {} },
      { name: 'tmpfs', emptyDir: { medium: 'Memory' } },
      { name: 'claim', persistentVolumeClaim: { claimName: 'c' } },
    ];
    const pods = ['layers', 'logs', 'volumes', 'foreign'].map((name) => testPod({ name, spec: { volumes } }));
    const uses: PodUse[] = [
      { podRef: { uid: 'uid-layers' }, containers: [{ name: 'app', rootfs: { usedBytes: 30, inodesUsed: 1 } }] },
      { podRef: { uid: 'uid-logs' }, containers: [{ name: 'app', logs: { usedBytes: 20, inodesUsed: 2 } }] },
      { podRef: { uid: 'uid-volumes' }, containers: null, volume: [{ name: 'cache', usedBytes: 10, inodesUsed: 3 }] },
      {
        podRef: { uid: 'uid-foreign' },
        containers: null,
        volume: [
          { name: 'tmpfs', usedBytes: 99 },
          { name: 'claim', usedBytes: 99 },
        ],
      },
    ];
    const reversed = pods.toReversed();
    const all = ['layers', 'logs', 'volumes', 'foreign'];
    expect(order('nodefs.available', pods, uses)).toEqual(all);
    expect(order('nodefs.available', reversed, uses)).toEqual(all);
    expect(order('containerfs.available', reversed, uses, 'separateContainers')).toEqual(all);
    expect(order('nodefs.available', reversed, uses, 'split')).toEqual(all);
    expect(order('imagefs.available', reversed, uses, 'dedicated')).toEqual(['layers', 'foreign', 'volumes', 'logs']);
    expect(order('imagefs.available', pods, uses, 'split')).toEqual(all);
    expect(order('nodefs.inodesFree', pods, uses)).toEqual(['volumes', 'logs', 'layers', 'foreign']);
    expect(order('nodefs.available', pods, uses, 'dedicated')).toEqual(['logs', 'volumes', 'layers', 'foreign']);
    expect(order('imagefs.available', pods, uses, 'dedicated')).toEqual(['layers', 'logs', 'volumes', 'foreign']);
    expect(order('containerfs.available', pods, uses, 'split')).toEqual(['layers', 'logs', 'volumes', 'foreign']);
    expect(order('imagefs.available', reversed, uses, 'split')).toEqual(['foreign', 'volumes', 'logs', 'layers']);
  });

  it('counts requests of sidecars, overhead and the pod as a whole', () => {
    const requests = { memory: '300Mi' };
    const sidecar = { name: 'side', restartPolicy: 'Always', resources: { requests } } as const;
    const pods = [
      memoryPod('plain', 300),
      testPod({ name: 'sidecar', containers: [{ resources: { requests } }], initContainers: [sidecar] }),
      testPod({ name: 'overhead', containers: [{ resources: { requests } }], spec: { overhead: { memory: '200Mi' } } }),
      testPod({
        name: 'pod',
        containers: [{ resources: { requests } }],
        spec: { resources: { requests: { memory: '1Gi' } } },
      }),
    ];
    const uses = ['pod', 'overhead', 'sidecar', 'plain'].map((name) => memoryUse(name, 2048));
    expect(order('memory.available', pods.toReversed(), uses)).toEqual(['plain', 'overhead', 'sidecar', 'pod']);
  });
});
