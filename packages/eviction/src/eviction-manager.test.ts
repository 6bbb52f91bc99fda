import type { NodeMemory, NodeStatistics } from '@rxlet/agent-api/node';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { noopEventRecorder } from '@rxlet/component-base/events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEvictionManager } from './eviction-manager.ts';
import { parseThresholds } from './parse-thresholds.ts';
import { MI, summary } from './test-support.ts';

/** Creates a manager for a node without pods, whose memory runs short. */
function setUp(memoryLeftMi: number) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const node = { isBroken: false };
  const read = <T>(value: T): T => {
    if (node.isBroken) throw new Error('broken');
    return value;
  };
  const memory = { time: 0, availableBytes: memoryLeftMi * MI, workingSetBytes: 0 };
  const statistics: NodeStatistics = {
    summary: async () => summary({ time: clock.now(), memoryMi: memoryLeftMi }),
    memory: (): NodeMemory => read({ node: memory, pods: memory }),
    fileSystemLayout: async () => 'shared',
  };
  const manager = createEvictionManager(
    {
      clock,
      logger,
      events: noopEventRecorder,
      core: {
        activePods: () => read([]),
        isFinished: () => true,
        mayRunContainers: () => false,
        collectContainerGarbage: async () => undefined,
      },
      statistics,
      images: undefined,
      evictor: { evict: async () => undefined },
    },
    {
      nodeName: 'node1',
      isDryRun: false,
      settings: {
        thresholds: parseThresholds({ evictionHard: { 'memory.available': '100Mi' } }),
        pressureTransitionPeriodMs: 300_000,
        maxPodGracePeriodSeconds: 0,
        localStorageCapacityIsolation: true,
      },
    },
  );
  onTestFinished(() => manager[Symbol.asyncDispose]());
  return { clock, logger, node, manager };
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
});
