import type { NodeMemory, NodeStatistics } from '@rxlet/agent-api/node';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { noopEventRecorder } from '@rxlet/component-base/events';
import type { Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEvictionManager } from './eviction-manager.ts';
import { parseThresholds, type ThresholdConfiguration } from './parse-thresholds.ts';
import { MI, memoryPod, summary } from './test-support.ts';

/** Creates a manager for a node whose memory may run short. Pods that are evicted keep running. */
function setUp(memoryLeftMi: number, pods: readonly Pod[] = [], configuration: ThresholdConfiguration = {}) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const node = { isBroken: false, diskLeftGi: 50 };
  const evicted: string[] = [];
  const read = <T>(value: T): T => {
    if (node.isBroken) throw new Error('broken');
    return value;
  };
  const memory = { time: 0, availableBytes: memoryLeftMi * MI, workingSetBytes: 0 };
  const statistics: NodeStatistics = {
    summary: async () => summary({ time: clock.now(), memoryMi: memoryLeftMi, diskGi: node.diskLeftGi }),
    memory: (): NodeMemory => read({ node: memory, pods: memory }),
    fileSystemLayout: async () => 'shared',
  };
  const manager = createEvictionManager(
    {
      clock,
      logger,
      events: noopEventRecorder,
      core: {
        activePods: () => read(pods),
        isFinished: () => false,
        mayRunContainers: (uid) => evicted.some((entry) => entry.startsWith(`${uid} `)),
        collectContainerGarbage: async () => undefined,
      },
      statistics,
      images: undefined,
      evictor: {
        async evict({ pod, cause }) {
          evicted.push(`${podUid(pod)} ${cause}`);
        },
      },
    },
    {
      nodeName: 'node1',
      isDryRun: false,
      settings: {
        thresholds: parseThresholds({ evictionHard: { 'memory.available': '100Mi' }, ...configuration }),
        pressureTransitionPeriodMs: 300_000,
        maxPodGracePeriodSeconds: 600,
        localStorageCapacityIsolation: true,
      },
    },
  );
  onTestFinished(() => manager[Symbol.asyncDispose]());
  return { clock, logger, node, evicted, manager };
}

describe('an eviction manager', () => {
  it('continues after checks that fail', async () => {
    const { clock, logger, node, manager } = setUp(50);
    node.isBroken = true;
    manager.start();
    await clock.advance(25_000);
    expect(manager.conditions()).toEqual([]);
    expect(logger.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields['error'])).toEqual([
      'broken',
      'broken',
      'broken',
    ]);
    node.isBroken = false;
    await clock.advance(10_000);
    expect(manager.conditions()).toEqual(['MemoryPressure']);
  });

  it('evicts for the disk while a pod takes its time after a soft eviction', async () => {
    const pods = [
      memoryPod('a', 10, { terminationGracePeriodSeconds: 600 }),
      memoryPod('b', 10, { terminationGracePeriodSeconds: 600 }),
    ];
    const { clock, node, evicted, manager } = setUp(400, pods, {
      evictionHard: { 'nodefs.available': '10%' },
      evictionSoft: { 'memory.available': '500Mi' },
      evictionSoftGracePeriod: { 'memory.available': '30s' },
    });
    manager.start();
    await clock.advance(60_000);
    expect(evicted).toEqual(['uid-a memory.available']);
    node.diskLeftGi = 5;
    await clock.advance(20_000);
    expect(evicted).toEqual(['uid-a memory.available', 'uid-a nodefs.available']);
  });
});
