import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { PodStatus } from '@rxlet/kube-api';
import type { NodeFiles } from '@rxlet/node-files';
import { createMemoryFiles, type MemoryFiles } from '@rxlet/node-files/testing';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import type { PodStatusUpdate } from '@rxlet/agent-api/statuses';
import { checkpointBatch } from './checkpoint-format.ts';
import { createStatusCheckpoint, type StatusCheckpointOptions } from './status-checkpoint.ts';

let version = 0;
const update = (name: string, status: PodStatus): PodStatusUpdate => ({
  pod: testPod({ name, uid: name }),
  status,
  version: (version += 1),
  finished: false,
});
const ready = (status: 'True' | 'False'): PodStatus => ({ phase: 'Running', conditions: [{ type: 'Ready', status }] });

const path = '/var/lib/kubelet/pod_statuses';
const isWrite = (operation: string): boolean => operation === 'replaceFile' || operation === 'appendFile';

/** Creates a checkpoint on a file with this text. */
async function setUp(text?: string, options: StatusCheckpointOptions = {}) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const memory = createMemoryFiles(text === undefined ? {} : { files: { [path]: text } });
  const { nodeFiles } = memory;
  const written: string[] = [];
  const files: NodeFiles = {
    ...nodeFiles,
    async replaceFile(...args) {
      await nodeFiles.replaceFile(...args);
      written.push(String(args[1]));
    },
    async appendFile(...args) {
      await nodeFiles.appendFile(...args);
      written.push(String(args[1]));
    },
  };
  const checkpoint = createStatusCheckpoint({ clock, files, path, logger }, options);
  await checkpoint.load();
  return {
    clock,
    logger,
    memory,
    checkpoint,
    /** Completed writes, rewritten or appended. */
    writes: () => written.length,
    writtenLength: () => written.join('').length,
    text: () => memory.text(path),
    /** Calls `fault` before each write. */
    onWrite(fault: () => void | Promise<void>): void {
      memory.fault = (operation) => (isWrite(operation) ? fault() : undefined);
    },
  };
}

describe('status checkpoint', () => {
  it('restores recorded statuses after a restart', async () => {
    const { checkpoint, text, clock } = await setUp();
    checkpoint.record(update('a', ready('True')));
    checkpoint.record(update('b', { phase: 'Pending', message: 'line\nbreak ✓' }));
    expect(checkpoint.restored('a')).toBeUndefined();
    await clock.advance(1000);
    const after = await setUp(text());
    expect(after.checkpoint.restored('a')).toEqual(ready('True'));
    expect(after.checkpoint.restored('b')).toEqual({ phase: 'Pending', message: 'line\nbreak ✓' });
    expect(after.checkpoint.restored('c')).toBeUndefined();
    expect(after.logger.lines).toEqual([]);
  });

  it('removes the end of a pod as soon as it writes one, and other statuses later', async () => {
    const { checkpoint, text, clock } = await setUp();
    checkpoint.record(update('a', { phase: 'Succeeded' }));
    checkpoint.record(update('b', { phase: 'Pending' }));
    await clock.advance(1000);
    checkpoint.forget('b');
    await clock.advance(50);
    expect((await setUp(text())).checkpoint.restored('b')).toBeDefined();
    checkpoint.retain(new Set());
    await clock.advance(50);
    expect((await setUp(text())).checkpoint.restored('a')).toBeUndefined();
  });

  it('merges changes into one write, and writes readiness sooner', async () => {
    const { checkpoint, writes, text, clock } = await setUp();
    for (let index = 0; index < 100; index += 1) checkpoint.record(update(`p${index}`, { phase: 'Pending' }));
    await clock.advance(999);
    expect(writes()).toBe(0);
    await clock.advance(1);
    expect(writes()).toBe(1);
    checkpoint.record(update('p0', { phase: 'Running' }));
    checkpoint.record(update('p1', ready('True')));
    await clock.advance(50);
    expect(writes()).toBe(2);
    expect(text()).toContain('"Running"');
    await clock.advance(60_000);
    expect(writes()).toBe(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('writes one batch at a time, and later changes afterwards', async () => {
    const { checkpoint, writes, text, onWrite, clock } = await setUp();
    const { promise, resolve } = Promise.withResolvers<void>();
    onWrite(() => promise);
    checkpoint.record(update('a', ready('True')));
    await clock.advance(50);
    onWrite(() => {
      if (writes() === 0) throw new Error('two writes at a time');
    });
    checkpoint.record(update('a', ready('False')));
    await clock.advance(10_000);
    expect(writes()).toBe(0);
    resolve();
    await clock.advance(1);
    expect(writes()).toBe(2);
    expect(text()).toContain('"False"');
  });

  it('keeps restored statuses in memory and in the file until they are recorded again', async () => {
    const first = await setUp();
    first.checkpoint.record(update('a', ready('True')));
    first.checkpoint.record(update('b', ready('False')));
    await first.clock.advance(1000);
    const second = await setUp(first.text());
    second.checkpoint.record(update('c', ready('True')));
    second.checkpoint.record(update('b', ready('True')));
    expect(second.checkpoint.restored('b')).toBeUndefined();
    await second.clock.advance(1000);
    const third = await setUp(second.text());
    const restored = ['a', 'b', 'c'].map((uid) => third.checkpoint.restored(uid));
    expect(restored).toEqual([ready('True'), ready('True'), ready('True')]);
  });

  it('removes forgotten pods', async () => {
    const first = await setUp();
    for (const uid of ['a', 'b', 'c']) first.checkpoint.record(update(uid, ready('True')));
    await first.clock.advance(1000);
    const second = await setUp(first.text());
    second.checkpoint.forget('a');
    second.checkpoint.retain(new Set(['c', 'other']));
    expect(second.checkpoint.restored('b')).toBeUndefined();
    await second.clock.advance(1000);
    const third = await setUp(second.text());
    const restored = ['a', 'b', 'c'].map((uid) => third.checkpoint.restored(uid));
    expect(restored).toEqual([undefined, undefined, ready('True')]);
  });

  it.each<[string, (text: string) => string, string]>([
    ['half written', (text) => text.slice(0, -10), 'its content does not match its checksum'],
    ['empty', () => '', 'it does not begin with the header of a checkpoint'],
    ['something else', () => '{"kind":"Pod"}\n', 'it does not begin with the header of a checkpoint'],
    ['changed', (text) => text.replace('True', 'Fals'), 'its content does not match its checksum'],
    ['of another version', (text) => text.replace('"version":2', '"version":1'), 'it has version 1, not 2'],
  ])('starts empty with a file that is %s, logs it once, and renames the file', async (_, damage, error) => {
    const first = await setUp();
    first.checkpoint.record(update('a', ready('True')));
    await first.clock.advance(1000);
    const { checkpoint, logger, text, clock } = await setUp(damage(first.text()!));
    expect(checkpoint.restored('a')).toBeUndefined();
    expect(logger.lines).toMatchObject([{ level: 'error', fields: { path: path, error, movedTo: `${path}.corrupt` } }]);
    checkpoint.record(update('b', ready('True')));
    await clock.advance(1000);
    const next = await setUp(text());
    expect(next.checkpoint.restored('b')).toEqual(ready('True'));
    expect(logger.lines).toHaveLength(1);
  });

  it.each<[string, (memory: MemoryFiles) => void, string]>([
    ['that others may write', (memory) => memory.put(path, '{}', 0o666), 'is writable by other users'],
    ['that is a link', (memory) => memory.putLink(path, '/etc/shadow'), 'symbolic link'],
    ['that is a pipe', (memory) => memory.putSpecial(path, 'fifo'), 'is not a regular file'],
  ])('renames a file %s, and writes a new one', async (_, place, reason) => {
    const { memory, checkpoint, clock, logger } = await setUp();
    place(memory);
    await checkpoint.load();
    expect(logger.lines).toMatchObject([{ level: 'error', fields: { path, movedTo: `${path}.corrupt` } }]);
    expect(logger.lines[0]?.fields?.['error']).toContain(reason);
    checkpoint.record(update('a', ready('True')));
    await clock.advance(1000);
    expect(memory.info(path)).toMatchObject({ kind: 'file', mode: 0o600 });
  });

  it.each<[string, object | null, string]>([
    ['no container', { containerStatuses: [null] }, 'status.containerStatuses[0] is null, expected a mapping'],
    ['no list', { initContainerStatuses: {} }, 'status.initContainerStatuses is a mapping, expected a list'],
    ['a number for a phase', { phase: 3 }, 'status.phase is a number, expected a string'],
  ])('sets a file aside whose checksum is right and which has %s', async (_what, status, problem) => {
    for (const before of ['', checkpointBatch([{ podUid: 'web', status: ready('True') }])]) {
      const text = before + checkpointBatch([{ podUid: 'db', status: status }]);
      const { checkpoint, logger, memory } = await setUp(text);
      expect(['web', 'db'].map((uid) => checkpoint.restored(uid))).toEqual([undefined, undefined]);
      expect(logger.lines).toMatchObject([
        { level: 'error', fields: { error: `pod "db": ${problem}`, movedTo: `${path}.corrupt` } },
      ]);
      expect(memory.text(`${path}.corrupt`)).toBe(text);
    }
  });

  it('takes fields that are null for absent ones', async () => {
    const status = { ...ready('True'), containerStatuses: null, podIPs: null } as unknown as PodStatus;
    const { checkpoint } = await setUp(checkpointBatch([{ podUid: 'web', status }]));
    expect(checkpoint.restored('web')).toEqual(ready('True'));
  });

  it('rewrites the file when it was removed', async () => {
    const { memory, checkpoint, clock, text } = await setUp();
    for (const uid of ['a', 'b']) checkpoint.record(update(uid, ready('True')));
    await clock.advance(1000);
    memory.remove(path);
    checkpoint.record(update('a', ready('False')));
    await clock.advance(5000);
    const next = await setUp(text());
    expect(['a', 'b'].map((uid) => next.checkpoint.restored(uid))).toEqual([ready('False'), ready('True')]);
  });

  it('keeps no decision of the node, so that the next agent admits the pod again', async () => {
    const first = await setUp();
    const facts: PodStatus = {
      startTime: '2026-01-01T00:00:00Z',
      containerStatuses: [
        {
          name: 'app',
          image: '',
          imageID: '',
          ready: false,
          restartCount: 3,
          state: { terminated: { exitCode: 137 } },
        },
      ],
    };
    const disrupted = { type: 'DisruptionTarget', status: 'True' } as const;
    first.checkpoint.record(update('rejected', { phase: 'Failed', reason: 'OutOfcpu', message: 'no cpu' }));
    first.checkpoint.record(update('late', { ...facts, phase: 'Failed', reason: 'DeadlineExceeded' }));
    first.checkpoint.record(
      update('evicted', { phase: 'Failed', reason: 'Evicted', conditions: [disrupted, ...ready('False').conditions!] }),
    );
    first.checkpoint.record(update('crashed', { ...facts, phase: 'Failed' }));
    await first.clock.advance(1000);
    const { checkpoint } = await setUp(first.text());
    expect(checkpoint.restored('rejected')).toEqual({ phase: 'Pending' });
    expect(checkpoint.restored('late')).toEqual({ ...facts, phase: 'Pending' });
    expect(checkpoint.restored('evicted')).toEqual({ ...ready('False'), phase: 'Pending' });
    expect(checkpoint.restored('crashed')).toEqual({ ...facts, phase: 'Failed' });
  });

  describe('with many pods', () => {
    const padding = 'x'.repeat(1000);
    const flip = (index: number, status: 'True' | 'False'): PodStatusUpdate =>
      update(`p${String(index)}`, { ...ready(status), message: padding });
    async function full(pods: number) {
      const bench = await setUp();
      for (let index = 0; index < pods; index += 1) bench.checkpoint.record(flip(index, 'True'));
      await bench.clock.advance(1000);
      return bench;
    }

    it('writes no more for a change than with one pod', async () => {
      const written = await Promise.all(
        [1, 500].map(async (pods) => {
          const { checkpoint, writtenLength, clock } = await full(pods);
          const before = writtenLength();
          checkpoint.record(flip(0, 'False'));
          await clock.advance(50);
          return writtenLength() - before;
        }),
      );
      expect(written[1]).toBe(written[0]);
    });

    it('rewrites the file when it has grown to twice its content', async () => {
      const { checkpoint, writtenLength, text, clock } = await full(100);
      const wholeLength = text()!.length;
      for (let index = 0; index < 1000; index += 1) {
        checkpoint.record(flip(index % 100, index % 200 < 100 ? 'False' : 'True'));
        await clock.advance(50);
        expect(text()!.length).toBeLessThan(2.1 * wholeLength);
      }
      expect(writtenLength()).toBeLessThan(wholeLength + 2.2 * 1000 * 1300);
      const next = await setUp(text());
      expect(next.checkpoint.restored('p99')?.conditions).toEqual(ready('True').conditions);
    });

    it('counts batches appended by earlier runs', async () => {
      let text: string | undefined;
      let wholeLength = 0;
      for (let run = 0; run < 30; run += 1) {
        const bench = await setUp(text);
        const { checkpoint, clock } = bench;
        for (let index = 0; index < 100; index += 1) checkpoint.record(flip(index, 'True'));
        await clock.advance(1000);
        text = bench.text();
        wholeLength ||= text!.length;
      }
      expect(text!.length).toBeLessThan(3.1 * wholeLength);
    });

    it('restores the complete batches of an incomplete file, and repairs it', async () => {
      const { checkpoint, text, clock } = await full(3);
      const wholeLength = text()!.length;
      checkpoint.record(flip(0, 'False'));
      await clock.advance(50);
      const { length } = text()!;
      for (let cut = wholeLength + 1; cut < length; cut += 97) {
        for (const tail of ['', '\u0000'.repeat(length - cut), '\n{"kind":"PodStatus'] as const) {
          const next = await setUp(text()!.slice(0, cut) + tail);
          expect(next.checkpoint.restored('p0')?.conditions).toEqual(ready('True').conditions);
          expect(next.logger.lines.map(({ level }) => level)).toEqual(['info']);
          next.checkpoint.record(flip(1, 'False'));
          await next.clock.advance(50);
          const last = await setUp(next.text());
          expect(last.checkpoint.restored('p1')?.conditions).toEqual(ready('False').conditions);
          expect(last.logger.lines).toEqual([]);
        }
      }
    });

    it('rewrites the file after an interrupted append', async () => {
      const { checkpoint, text, memory, onWrite, clock } = await full(3);
      onWrite(() => {
        memory.fault = undefined;
        memory.put(path, `${text()!}{"kind":"PodStatus`);
        throw new Error('no space left on device');
      });
      checkpoint.record(flip(0, 'False'));
      await clock.advance(60_000);
      const next = await setUp(text());
      expect(next.checkpoint.restored('p0')?.conditions).toEqual(ready('False').conditions);
      expect(next.checkpoint.restored('p2')?.conditions).toEqual(ready('True').conditions);
      expect(next.logger.lines).toEqual([]);
    });
  });

  it('retries a failed write with increasing delays and the latest statuses', async () => {
    const { checkpoint, text, onWrite, clock, logger } = await setUp(undefined, {
      writeDelayMs: 1000,
      maxRetryDelayMs: 2000,
    });
    const attempts: number[] = [];
    const startMs = clock.now();
    onWrite(() => {
      attempts.push(clock.now() - startMs);
      if (attempts.length < 4) throw new Error('no space left on device');
    });
    checkpoint.record(update('a', ready('True')));
    await clock.advance(500);
    checkpoint.record(update('a', ready('False')));
    await clock.advance(60_000);
    expect(attempts).toEqual([50, 1050, 3050, 5050]);
    expect(text()).toContain('"False"');
    expect(logger.lines).toMatchObject([
      { level: 'error', fields: { path: path, error: 'no space left on device', retryInMs: 1000 } },
      { level: 'info', fields: { path: path } },
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('logs a full disk when it begins and when it ends', async () => {
    const { checkpoint, onWrite, clock, logger } = await setUp();
    onWrite(() => {
      throw new Error('no space left on device');
    });
    for (const status of ['True', 'False', 'True'] as const) {
      checkpoint.record(update('a', ready(status)));
      await clock.advance(60_000);
    }
    expect(logger.lines).toHaveLength(1);
    await checkpoint[Symbol.asyncDispose]();
    expect(logger.lines).toMatchObject([{ level: 'error' }, { level: 'error' }]);
    expect(clock.pendingTimers).toBe(0);
  });

  describe('on disposal', () => {
    it('writes unwritten changes', async () => {
      const { checkpoint, writes, clock } = await setUp();
      checkpoint.record(update('a', { phase: 'Running' }));
      await Promise.all([checkpoint[Symbol.asyncDispose](), checkpoint[Symbol.asyncDispose]()]);
      expect(writes()).toBe(1);
      expect(clock.pendingTimers).toBe(0);
    });

    it('writes later changes after the write in flight', async () => {
      const { checkpoint, writes, text, onWrite, clock } = await setUp();
      const { promise, resolve } = Promise.withResolvers<void>();
      onWrite(() => promise);
      checkpoint.record(update('a', ready('True')));
      await clock.advance(50);
      checkpoint.record(update('a', ready('False')));
      const disposal = checkpoint[Symbol.asyncDispose]();
      resolve();
      await disposal;
      expect(writes()).toBe(2);
      expect(text()).toContain('"False"');
      expect(clock.pendingTimers).toBe(0);
    });

    it('times out on a disk that hangs, and logs it', async () => {
      const { checkpoint, onWrite, clock, logger } = await setUp(undefined, { flushTimeoutMs: 3000 });
      onWrite(() => new Promise<void>(() => undefined));
      checkpoint.record(update('a', ready('True')));
      let ended = false;
      void checkpoint[Symbol.asyncDispose]().then(() => (ended = true));
      await clock.advance(2999);
      expect(ended).toBe(false);
      await clock.advance(1);
      expect(ended).toBe(true);
      expect(logger.lines).toMatchObject([{ level: 'error', fields: { path: path } }]);
      expect(clock.pendingTimers).toBe(0);
    });
  });
});
