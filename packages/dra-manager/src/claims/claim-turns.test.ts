import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createClaimTurns, type HeldTurns } from './claim-turns.ts';

/** Operations that take claims in the order of a table; `ends` lets the one of an index end. */
function run(operations: readonly (readonly string[])[]) {
  const clock = createVirtualClock();
  const turns = createClaimTurns();
  const began: number[] = [];
  const held = new Map<number, HeldTurns>();
  for (const [index, keys] of operations.entries())
    void turns.take(keys, undefined).then((own) => {
      began.push(index);
      held.set(index, own);
    });
  return { began, held, settle: () => clock.settle() };
}

describe('operations on claims', () => {
  it.each<[operations: readonly (readonly string[])[], first: readonly number[], then: readonly number[]]>([
    [
      [['a'], ['b']],
      [0, 1],
      [0, 1],
    ],
    [[['a'], ['a'], ['a']], [0], [0, 1]],
    [
      [
        ['a', 'b'],
        ['b', 'c'],
      ],
      [0],
      [0, 1],
    ],
    // One that waits holds nothing.
    [
      [['a'], ['a', 'b'], ['b']],
      [0, 2],
      [0, 2],
    ],
    [
      [[], ['a'], []],
      [0, 1, 2],
      [0, 1, 2],
    ],
  ])('%j begin with %j, and when the first one ends %j have begun', async (operations, first, then) => {
    const { began, held, settle } = run(operations);
    await settle();
    expect(began.toSorted()).toEqual(first);
    held.get(0)![Symbol.dispose]();
    await settle();
    expect(began.toSorted()).toEqual(then);
  });

  it('give up single claims before their end', async () => {
    const { began, held, settle } = run([['a', 'b'], ['a'], ['b']]);
    await settle();
    held.get(0)!.end('a');
    await settle();
    expect(began).toEqual([0, 1]);
    // A claim that another operation holds by now stays its own.
    held.get(0)!.end('a');
    held.get(0)![Symbol.dispose]();
    await settle();
    expect(began).toEqual([0, 1, 2]);
  });

  it('wait no longer than their signal', async () => {
    const turns = createClaimTurns();
    using held = await turns.take(['a'], undefined);
    const controller = new AbortController();
    const waiting = turns.take(['a'], controller.signal);
    controller.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    held.end('a');
    using _next = await turns.take(['a'], undefined);
  });
});
