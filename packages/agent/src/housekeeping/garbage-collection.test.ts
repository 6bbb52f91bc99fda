import type { GarbageCollectionStep } from '@rxlet/agent-api/housekeeping';
import { LifetimeEnded, noopLogger } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createSyncLoopBench } from '../test-support/sync-loop-bench.ts';
import { createGarbageCollection } from './garbage-collection.ts';

describe('garbage collection', () => {
  it('runs at once and then every minute', async () => {
    const { collections, clock } = createSyncLoopBench();
    await clock.advance(121_000);
    expect(collections).toEqual([{ atMs: 0 }, { atMs: 60_000 }, { atMs: 120_000 }]);
  });

  it('reports a failure as an event of the node, and is retried', async () => {
    const { collections, world, clock, events } = createSyncLoopBench();
    world.gcError = new Error('no answer');
    await clock.advance(60_000);
    world.gcError = undefined;
    await clock.advance(60_000);
    expect(collections).toHaveLength(3);
    expect(events.list()).toMatchObject([
      {
        object: { kind: 'Node', name: 'node1' },
        type: 'Warning',
        reason: 'ContainerGCFailed',
        message: 'no answer',
      },
    ]);
  });

  it('runs steps that are instances of classes', async () => {
    class Caches implements GarbageCollectionStep {
      readonly name = 'caches';
      readonly failureReason = 'CacheGCFailed';
      runs = 0;
      async run(): Promise<void> {
        this.runs += 1;
      }
    }
    const caches = new Caches();
    const clock = createVirtualClock();
    const events = createEventLog(clock);
    const node = { name: 'node1' };
    const ports = { clock, logger: noopLogger, events, garbageCollection: [caches], node };
    await using collection = createGarbageCollection(ports, {});
    collection.start();
    await clock.advance(60_000);
    expect([caches.runs, events.list()]).toEqual([2, []]);
  });

  it('reports no failure of a collection that ends with another part of the agent', async () => {
    const { collections, world, clock, events } = createSyncLoopBench();
    world.gcError = new LifetimeEnded();
    await clock.advance(60_000);
    expect(collections).toHaveLength(2);
    expect(events.list()).toEqual([]);
  });
});
