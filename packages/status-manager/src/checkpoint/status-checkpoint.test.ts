import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { PodStatus } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import type { PodStatusUpdate } from '../status-sink.ts';
import { createMemoryCheckpointFile, type MemoryCheckpointFile } from './memory-checkpoint-file.ts';
import { createStatusCheckpoint, type StatusCheckpointOptions } from './status-checkpoint.ts';

let version = 0;
const update = (name: string, status: PodStatus): PodStatusUpdate => ({
  pod: testPod({ name, uid: name }),
  status,
  version: (version += 1),
  finished: false,
});
const ready = (status: 'True' | 'False'): PodStatus => ({ phase: 'Running', conditions: [{ type: 'Ready', status }] });

async function setUp(file: MemoryCheckpointFile = createMemoryCheckpointFile(), options: StatusCheckpointOptions = {}) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const checkpoint = createStatusCheckpoint({ clock, file, logger }, options);
  await checkpoint.load();
  return { clock, logger, file, checkpoint };
}

describe('status checkpoint', () => {
  it('gives back after a restart what was recorded', async () => {
    const { checkpoint, file, clock } = await setUp();
    checkpoint.record(update('a', ready('True')));
    checkpoint.record(update('b', { phase: 'Pending', message: 'line\nbreak ✓' }));
    expect(checkpoint.restored('a')).toBeUndefined();
    await clock.advance(1000);
    const after = await setUp(createMemoryCheckpointFile(file.text));
    expect(after.checkpoint.restored('a')).toEqual(ready('True'));
    expect(after.checkpoint.restored('b')).toEqual({ phase: 'Pending', message: 'line\nbreak ✓' });
    expect(after.checkpoint.restored('c')).toBeUndefined();
    expect(after.logger.lines).toEqual([]);
  });

  it('writes many changes at once, and readiness soon', async () => {
    const { checkpoint, file, clock } = await setUp();
    for (let index = 0; index < 100; index += 1) checkpoint.record(update(`p${index}`, { phase: 'Pending' }));
    await clock.advance(999);
    expect(file.writes).toBe(0);
    await clock.advance(1);
    expect(file.writes).toBe(1);
    checkpoint.record(update('p0', { phase: 'Running' }));
    checkpoint.record(update('p1', ready('True')));
    await clock.advance(50);
    expect(file.writes).toBe(2);
    expect(file.text).toContain('"Running"');
    await clock.advance(60_000);
    expect(file.writes).toBe(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('writes once at a time, and what changed meanwhile afterwards', async () => {
    const { checkpoint, file, clock } = await setUp();
    const { promise, resolve } = Promise.withResolvers<void>();
    file.beforeWrite = () => promise;
    checkpoint.record(update('a', ready('True')));
    await clock.advance(50);
    file.beforeWrite = () => {
      if (file.writes === 0) throw new Error('two writes at a time');
    };
    checkpoint.record(update('a', ready('False')));
    await clock.advance(10_000);
    expect(file.writes).toBe(0);
    resolve();
    await clock.advance(1);
    expect(file.writes).toBe(2);
    expect(file.text).toContain('"False"');
  });

  it('keeps what was restored until it is recorded anew, also in the file', async () => {
    const first = await setUp();
    first.checkpoint.record(update('a', ready('True')));
    first.checkpoint.record(update('b', ready('False')));
    await first.clock.advance(1000);
    const second = await setUp(createMemoryCheckpointFile(first.file.text));
    second.checkpoint.record(update('c', ready('True')));
    second.checkpoint.record(update('b', ready('True')));
    expect(second.checkpoint.restored('b')).toBeUndefined();
    await second.clock.advance(1000);
    const third = await setUp(createMemoryCheckpointFile(second.file.text));
    const restored = ['a', 'b', 'c'].map((uid) => third.checkpoint.restored(uid));
    expect(restored).toEqual([ready('True'), ready('True'), ready('True')]);
  });

  it('forgets pods that are gone', async () => {
    const first = await setUp();
    for (const uid of ['a', 'b', 'c']) first.checkpoint.record(update(uid, ready('True')));
    await first.clock.advance(1000);
    const second = await setUp(createMemoryCheckpointFile(first.file.text));
    second.checkpoint.forget('a');
    second.checkpoint.retain(new Set(['c', 'other']));
    expect(second.checkpoint.restored('b')).toBeUndefined();
    await second.clock.advance(1000);
    const third = await setUp(createMemoryCheckpointFile(second.file.text));
    const restored = ['a', 'b', 'c'].map((uid) => third.checkpoint.restored(uid));
    expect(restored).toEqual([undefined, undefined, ready('True')]);
  });

  it.each<[string, (text: string) => string, string]>([
    ['half written', (text) => text.slice(0, -10), 'its content does not match its checksum'],
    ['empty', () => '', 'it does not begin as a checkpoint'],
    ['something else', () => '{"kind":"Pod"}\n', 'it does not begin as a checkpoint'],
    ['changed', (text) => text.replace('True', 'Fals'), 'its content does not match its checksum'],
    ['of another version', (text) => text.replace('"version":1', '"version":2'), 'it has version 2, not 1'],
  ])('begins anew with a file that is %s, says so once, and keeps it for a look', async (_, damage, error) => {
    const first = await setUp();
    first.checkpoint.record(update('a', ready('True')));
    await first.clock.advance(1000);
    const { checkpoint, logger, file, clock } = await setUp(createMemoryCheckpointFile(damage(first.file.text!)));
    expect(checkpoint.restored('a')).toBeUndefined();
    expect(logger.lines).toMatchObject([
      { level: 'error', fields: { path: '/pod_statuses', error, movedTo: '/pod_statuses.corrupt' } },
    ]);
    checkpoint.record(update('b', ready('True')));
    await clock.advance(1000);
    const next = await setUp(createMemoryCheckpointFile(file.text));
    expect(next.checkpoint.restored('b')).toEqual(ready('True'));
    expect(logger.lines).toHaveLength(1);
  });

  it('repeats a write that fails, later each time, with the latest', async () => {
    const { checkpoint, file, clock, logger } = await setUp(undefined, { writeDelayMs: 1000, maxRetryDelayMs: 2000 });
    const attempts: number[] = [];
    const startMs = clock.now();
    file.beforeWrite = () => {
      attempts.push(clock.now() - startMs);
      if (attempts.length < 4) throw new Error('no space left on device');
    };
    checkpoint.record(update('a', ready('True')));
    await clock.advance(500);
    checkpoint.record(update('a', ready('False')));
    await clock.advance(60_000);
    expect(attempts).toEqual([50, 1050, 3050, 5050]);
    expect(file.text).toContain('"False"');
    expect(logger.lines).toMatchObject([
      { level: 'error', fields: { path: '/pod_statuses', error: 'no space left on device', retryInMs: 1000 } },
      { level: 'info', fields: { path: '/pod_statuses' } },
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('says of a disk that stays full so when that begins, and at the end', async () => {
    const { checkpoint, file, clock, logger } = await setUp();
    file.beforeWrite = () => {
      throw new Error('no space left on device');
    };
    for (const status of ['True', 'False', 'True'] as const) {
      checkpoint.record(update('a', ready(status)));
      await clock.advance(60_000);
    }
    expect(logger.lines).toHaveLength(1);
    await checkpoint[Symbol.asyncDispose]();
    expect(logger.lines).toMatchObject([{ level: 'error' }, { level: 'error' }]);
    expect(clock.pendingTimers).toBe(0);
  });

  describe('disposed of', () => {
    it('writes what is not written yet', async () => {
      const { checkpoint, file, clock } = await setUp();
      checkpoint.record(update('a', { phase: 'Running' }));
      await Promise.all([checkpoint[Symbol.asyncDispose](), checkpoint[Symbol.asyncDispose]()]);
      expect(file.writes).toBe(1);
      expect(clock.pendingTimers).toBe(0);
    });

    it('writes after the write under way what came meanwhile', async () => {
      const { checkpoint, file, clock } = await setUp();
      const { promise, resolve } = Promise.withResolvers<void>();
      file.beforeWrite = () => promise;
      checkpoint.record(update('a', ready('True')));
      await clock.advance(50);
      checkpoint.record(update('a', ready('False')));
      const disposal = checkpoint[Symbol.asyncDispose]();
      resolve();
      await disposal;
      expect(file.writes).toBe(2);
      expect(file.text).toContain('"False"');
      expect(clock.pendingTimers).toBe(0);
    });

    it('does not wait for a disk that hangs, and says so', async () => {
      const { checkpoint, file, clock, logger } = await setUp(undefined, { flushTimeoutMs: 3000 });
      file.beforeWrite = () => new Promise<void>(() => undefined);
      checkpoint.record(update('a', ready('True')));
      let ended = false;
      void checkpoint[Symbol.asyncDispose]().then(() => (ended = true));
      await clock.advance(2999);
      expect(ended).toBe(false);
      await clock.advance(1);
      expect(ended).toBe(true);
      expect(logger.lines).toMatchObject([{ level: 'error', fields: { path: '/pod_statuses' } }]);
      expect(clock.pendingTimers).toBe(0);
    });
  });
});
