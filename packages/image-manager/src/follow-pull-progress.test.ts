import { sleep } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { PullInFlight, PullProgress, PullProgressSource } from '@rxlet/cri-api/pull-progress';
import { describe, expect, it } from 'vitest';
import { followPullProgress } from './follow-pull-progress.ts';
import { createPullQueue } from './pull-queue.ts';

const request = { podUid: '1', fieldPath: 'spec.containers{web}' };
const downloading = (currentBytes: number, totalBytes?: number): PullProgress => ({
  step: 'downloading',
  currentBytes,
  ...(totalBytes !== undefined && { totalBytes }),
});

type Answer = (pull: PullInFlight, signal: AbortSignal) => Promise<PullProgress | undefined> | PullProgress | undefined;

function setUp(answer: Answer, maxParallel = 1) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const queue = createPullQueue<string>(clock, maxParallel);
  const reads: string[] = [];
  let open = 0;
  const source: PullProgressSource = {
    name: 'scripted',
    open() {
      open += 1;
      return {
        async read(pulls, signal) {
          reads.push(`${String(clock.now())} ${pulls.map(({ image }) => image).join(' ')}`);
          return Promise.all(pulls.map(async (pull) => answer(pull, signal)));
        },
        [Symbol.dispose]: () => void (open -= 1),
      };
    },
  };
  const startMs = clock.now();
  const progress = followPullProgress({ clock, logger, source, queue });
  const pull = (image: string, pullMs: number): void => {
    const run = async (signal: AbortSignal) => sleep(clock, pullMs, signal).then(() => image);
    queue.pull({ key: image, image, request, run }).catch(() => undefined);
  };
  const dispose = async (): Promise<void> => {
    await progress[Symbol.asyncDispose]();
    await queue[Symbol.asyncDispose]();
  };
  return {
    clock,
    pull,
    shown: () => queue.pulls.value.map((shown) => shown.progress),
    reads: () => reads.map((read) => read.replace(/^\d+/, (time) => String(Number(time) - startMs))),
    openReaders: () => open,
    [Symbol.asyncDispose]: dispose,
  };
}

describe('followPullProgress', () => {
  it('reads the progress of running pulls once a second, and not that of queued ones', async () => {
    let bytes = 0;
    await using test = setUp(() => downloading((bytes += 10), 100));
    const { clock, pull, shown, reads, openReaders } = test;
    pull('a', 2500);
    pull('b', 1500);
    await clock.advance(1000);
    expect(shown()).toEqual([downloading(10, 100), undefined]);
    await clock.advance(1000);
    expect(shown()).toEqual([downloading(20, 100), undefined]);
    await clock.advance(1500);
    expect(shown()).toEqual([downloading(30, 100)]);
    await clock.advance(500);
    expect(reads()).toEqual(['1000 a', '2000 a', '3500 b']);
    expect([openReaders(), clock.pendingTimers]).toEqual([0, 0]);
  });

  it('does not read for a pull that takes less than a second', async () => {
    await using test = setUp(() => downloading(1));
    test.pull('a', 999);
    await test.clock.advance(5000);
    expect(test.reads()).toEqual([]);
    expect(test.clock.pendingTimers).toBe(0);
  });

  it('reads all running pulls at once', async () => {
    await using test = setUp(({ image }) => (image === 'a' ? { step: 'unpacking' } : undefined), 2);
    test.pull('a', 1500);
    test.pull('b', 1500);
    test.pull('c', 1500);
    await test.clock.advance(1000);
    expect(test.reads()).toEqual(['1000 a b']);
    expect(test.shown()).toEqual([{ step: 'unpacking' }, undefined, undefined]);
  });

  it('reads less and less often while reads fail, also for later pulls, and once a second again after a success', async () => {
    let isBroken = true;
    await using test = setUp(() => {
      if (isBroken) throw new Error('no connection');
      return downloading(5);
    });
    const { clock, pull, shown, reads, openReaders } = test;
    pull('a', 10_000);
    await clock.advance(20_000);
    expect(reads()).toEqual(['1000 a', '3000 a', '7000 a']);
    pull('b', 600_000);
    await clock.advance(300_000);
    const times = reads().map((read) => Number(read.split(' ')[0]));
    expect(times.slice(3)).toEqual([28_000, 44_000, 76_000, 136_000, 196_000, 256_000, 316_000]);
    isBroken = false;
    await clock.advance(57_000);
    expect(shown()).toEqual([downloading(5)]);
    expect(reads().slice(-2)).toEqual(['376000 b', '377000 b']);
    expect(openReaders()).toBe(1);
  });

  it('abandons a read without an answer after 5 s, opens another reader, and drops what was read before', async () => {
    let hangs = false;
    await using test = setUp(() => (hangs ? new Promise(() => undefined) : downloading(5)));
    const { clock, pull, shown, reads, openReaders } = test;
    pull('a', 60_000);
    await clock.advance(1000);
    hangs = true;
    await clock.advance(5999);
    expect([shown(), openReaders()]).toEqual([[downloading(5)], 1]);
    await clock.advance(1);
    expect(shown()).toEqual([undefined]);
    hangs = false;
    await clock.advance(2000);
    expect([shown(), openReaders()]).toEqual([[downloading(5)], 1]);
    expect(reads()).toEqual(['1000 a', '2000 a', '9000 a']);
  });

  it('reads a runtime without progress once', async () => {
    await using test = setUp(() => {
      throw Object.assign(new Error('no such service'), { reason: 'Unsupported' });
    });
    const { clock, pull, reads, openReaders } = test;
    pull('a', 10_000);
    pull('b', 10_000);
    await clock.advance(30_000);
    expect(reads()).toEqual(['1000 a']);
    expect([openReaders(), clock.pendingTimers]).toEqual([0, 0]);
  });

  it.each([
    ['negative figures', { step: 'downloading', currentBytes: -1, totalBytes: -1 }, { step: 'downloading' }],
    ['figures that are no numbers', { step: 'downloading', currentBytes: NaN }, { step: 'downloading' }],
    ['a total below the current bytes', downloading(10, 9), downloading(10)],
  ] as const)('drops %s', async (_, reported, shown) => {
    await using test = setUp(() => reported);
    test.pull('a', 2000);
    await test.clock.advance(1000);
    expect(test.shown()).toEqual([shown]);
  });

  it('ends a read when it is disposed of', async () => {
    let isAborted = false;
    const test = setUp(
      (_, signal) =>
        new Promise(() => {
          signal.onabort = () => (isAborted = true);
        }),
    );
    test.pull('a', 60_000);
    await test.clock.advance(2000);
    await test[Symbol.asyncDispose]();
    expect([isAborted, test.openReaders(), test.clock.pendingTimers]).toEqual([true, 0, 0]);
  });
});
