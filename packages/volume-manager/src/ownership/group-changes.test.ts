import { abortable, withDeadline } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createGroupChanges } from './group-changes.ts';

const PATH = '/root/pods/u/volumes/kubernetes.io~csi/pv/mount';

function createBench() {
  const clock = createVirtualClock();
  const changes = createGroupChanges(clock);
  const begun: AbortSignal[] = [];
  const end: { with: (failure?: Error) => void } = { with: () => undefined };
  const change = (signal: AbortSignal): Promise<void> => {
    begun.push(signal);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    end.with = (failure) => (failure === undefined ? resolve() : reject(failure));
    return abortable(promise, signal);
  };
  const outcomes: string[] = [];
  return {
    clock,
    changes,
    begun,
    end,
    outcomes,
    run(timeoutMs: number, signal?: AbortSignal) {
      withDeadline(clock, timeoutMs, signal, (bounded) => changes.run(PATH, bounded, change)).then(
        () => outcomes.push('changed'),
        (error: Error) => outcomes.push(error.message),
      );
    },
  };
}

describe('createGroupChanges', () => {
  it('continues a change after the deadline of its caller, and lets the next one wait for it', async () => {
    const { clock, run, begun, end, outcomes } = createBench();
    run(100);
    await clock.advance(150);
    run(100);
    await clock.advance(50);
    end.with();
    await clock.advance(0);
    expect(outcomes).toEqual(['no answer within 100 ms', 'changed']);
    expect(begun).toHaveLength(1);
    run(100);
    await clock.advance(0);
    expect(begun).toHaveLength(2);
  });

  it('gives the next caller the outcome of a change that ended meanwhile', async () => {
    const { clock, run, begun, end, outcomes } = createBench();
    for (const failure of [undefined, new Error('input/output error')]) {
      run(100);
      await clock.advance(100);
      end.with(failure);
      await clock.advance(0);
      run(100);
      await clock.advance(0);
    }
    const late = 'no answer within 100 ms';
    expect(outcomes).toEqual([late, 'changed', late, 'input/output error']);
    expect(begun).toHaveLength(2);
  });

  it('cancels a change when its pod terminates, and when its volume is unmounted', async () => {
    const { clock, changes, run, begun, outcomes } = createBench();
    const termination = new AbortController();
    run(100, termination.signal);
    termination.abort(new Error('the pod is terminating'));
    await clock.advance(0);
    expect(outcomes).toEqual(['the pod is terminating']);
    expect(begun[0]!.aborted).toBe(true);
    run(100);
    await clock.advance(100);
    await changes.cancel('/root/pods/u/volumes/kubernetes.io~csi/p');
    expect(begun[1]!.aborted).toBe(false);
    await changes.cancel('/root/pods/u/volumes/kubernetes.io~csi/pv');
    expect(begun[1]!.aborted).toBe(true);
    run(100);
    await clock.advance(0);
    expect(begun).toHaveLength(3);
  });

  it('cancels all changes with its disposal', async () => {
    const { clock, changes, run, begun } = createBench();
    run(100);
    await clock.advance(100);
    await changes[Symbol.asyncDispose]();
    expect(begun[0]!.aborted).toBe(true);
  });
});
