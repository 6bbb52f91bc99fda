import { describe, expect, it } from 'vitest';
import { createSyncLoopBench } from '../test-support/sync-loop-bench.ts';

describe('garbage collection', () => {
  it('comes at once and then every minute, and takes nothing that may yet be wanted', async () => {
    const { collections, world, clock } = createSyncLoopBench();
    world.ready = false;
    await clock.advance(61_000);
    world.ready = true;
    await clock.advance(60_000);
    expect(collections).toEqual([
      { atMs: 0, ready: true, unknownMayGo: false },
      { atMs: 60_000, ready: false, unknownMayGo: false },
      { atMs: 120_000, ready: true, unknownMayGo: true },
    ]);
  });

  it('that fails is an event of the node, and is tried again', async () => {
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
});
