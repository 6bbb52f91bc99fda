import { describe, expect, it } from 'vitest';
import { createThrowingParts, throwingPlaces } from './throwing-parts.ts';
import { createTestNode, manifestPod } from '@rxlet/testing';

const MINUTE_MS = 60_000;

describe('an exception in each handler, step and part of the core', () => {
  it.each(throwingPlaces)('ends no container of a desired pod and passes when %s works again', async (place) => {
    const throwing = createThrowingParts({}, () => true);
    const start = { parts: throwing.parts, modules: [throwing.module] };
    await using node = createTestNode();
    node.desire(manifestPod('web'), manifestPod('db'));
    await node.start(start);
    await node.until(() => node.running().length === 2);
    throwing.arm(place, Infinity);
    await node.advance(5 * MINUTE_MS);
    expect(node.running()).toEqual(['db/app', 'web/app']);
    await node.kill();
    // A start may fail; a supervisor repeats it.
    await node.start(start).catch(() => node.stop());
    await node.advance(5 * MINUTE_MS);
    throwing.disarm();
    if (!hasAgent(node)) await node.start(start);
    await node.advance(2 * MINUTE_MS);
    expect([node.instances('web').length, node.instances('db').length]).toEqual([1, 1]);
    expect(node.running()).toEqual(['db/app', 'web/app']);
    await node.untilPhase('web', 'Running', 0);
    node.desire();
    await node.until(() => node.running().length === 0, 2 * MINUTE_MS);
    await node.until(() => node.agent().pods.list().length === 0, 2 * MINUTE_MS);
  });
});

function hasAgent(node: ReturnType<typeof createTestNode>): boolean {
  try {
    return node.agent() !== undefined;
  } catch {
    return false;
  }
}
