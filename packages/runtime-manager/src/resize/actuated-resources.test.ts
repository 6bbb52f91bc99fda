import {
  createVirtualClock,
  recordingLogger,
  type RecordingLogger,
  type VirtualClock,
} from '@rxlet/component-base/testing';
import { createMemoryFiles, type MemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { type ActuatedResourcesStore, createActuatedResources } from './actuated-resources.ts';

const PATH = '/root/actuated_pods_state';

interface Disk {
  readonly memory: MemoryFiles;
  writes: number;
  /** While set, writes wait for it. */
  gate: Promise<void> | undefined;
  failure: Error | undefined;
}

function createDisk(): Disk {
  const memory = createMemoryFiles();
  const disk: Disk = { memory, writes: 0, gate: undefined, failure: undefined };
  memory.fault = async (operation) => {
    if (operation !== 'replaceFile') return;
    disk.writes++;
    await disk.gate;
    if (disk.failure !== undefined) throw disk.failure;
  };
  return disk;
}

async function open({
  memory,
}: Disk): Promise<ActuatedResourcesStore & { readonly logger: RecordingLogger; readonly clock: VirtualClock }> {
  const logger = recordingLogger();
  const clock = createVirtualClock();
  const store = createActuatedResources({ files: memory.nodeFiles, clock, logger }, { rootDirectory: '/root' });
  await store.load();
  return { ...store, logger, clock };
}

const app = (cpu: string) => ({ requests: { cpu } });

describe('actuated resources', () => {
  it('wait longer between two writes where the text of all pods takes long', async () => {
    const disk = createDisk();
    const clock = createVirtualClock();
    let lateMs = 0;
    // Each look at the clock is 50 ms after the one before, so that the text seems to take that long.
    const slow = { ...clock, monotonicNow: () => clock.monotonicNow() + (lateMs += 50) };
    const store = createActuatedResources({ files: disk.memory.nodeFiles, clock: slow }, { rootDirectory: '/root' });
    await store.load();
    for (const [cpu, writes] of [
      ['1', 1],
      ['2', 1],
      ['3', 2],
    ] as const) {
      store.setContainer('uid', 'app', app(cpu));
      await clock.advance(3_000);
      expect(disk.writes).toBe(writes);
    }
  });

  it('survive a restart in a file that only root can read', async () => {
    const disk = createDisk();
    const store = await open(disk);
    expect(store.setContainer('uid', 'app', app('1'))).toBe('new');
    expect(store.setContainer('uid', 'app', app('1'))).toBe('same');
    expect(store.setContainer('uid', 'app', app('2'))).toBe('changed');
    store.setPod('uid', { limits: { memory: '1Gi' } });
    await store.saved();
    expect(disk.memory.info(PATH)?.mode).toBe(0o600);
    expect((await open(disk)).of('uid')).toEqual({
      containers: new Map([['app', app('2')]]),
      pod: { limits: { memory: '1Gi' } },
    });
  });

  it('reach the disk at most once a second, later changes with the next write, and unchanged ones not at all', async () => {
    const disk = createDisk();
    const { clock, ...store } = await open(disk);
    for (let pod = 0; pod < 100; pod++) {
      store.setContainer(`uid-${String(pod)}`, 'app', app('1'));
      await clock.advance(5);
    }
    expect(disk.writes).toBe(1);
    await clock.advance(1000);
    store.setContainer('uid-7', 'app', app('1'));
    await clock.settle();
    expect([disk.writes, clock.pendingTimers]).toEqual([1, 0]);
    store.retain(() => true);
    await clock.settle();
    expect(disk.writes).toBe(2);
    expect((await open(disk)).of('uid-99').containers.size).toBe(1);
  });

  it('share one write after the one in flight', async () => {
    const disk = createDisk();
    const store = await open(disk);
    const { promise, resolve } = Promise.withResolvers<void>();
    disk.gate = promise;
    const saves = ['a', 'b', 'c', 'd'].map((uid) => {
      store.setContainer(uid, 'app', app('1'));
      return store.saved();
    });
    resolve();
    await Promise.all(saves);
    expect(disk.writes).toBe(2);
  });

  it('resolve saved only when they are on the disk', async () => {
    const disk = createDisk();
    const store = await open(disk);
    const { promise, resolve } = Promise.withResolvers<void>();
    disk.gate = promise;
    store.setContainer('uid', 'app', app('1'));
    store.setContainer('uid', 'app', app('2'));
    const held = store.saved().then(async () => (await open(disk)).of('uid').containers.get('app'));
    expect(disk.memory.text(PATH)).toBeUndefined();
    resolve();
    expect(await held).toEqual(app('2'));
  });

  it('disappear with their pod, and with pods that are no longer known', async () => {
    const disk = createDisk();
    const store = await open(disk);
    for (const uid of ['a', 'b', 'c']) store.setContainer(uid, 'app', app('1'));
    store.removePod('a');
    store.retain((uid) => uid !== 'b');
    await store.saved();
    const again = await open(disk);
    expect(['a', 'b', 'c'].map((uid) => again.of(uid).containers.size)).toEqual([0, 0, 1]);
  });

  it.each([
    ['damaged', '{"data":"{\\"entr'],
    ['of something else', '{"data":"{}","checksum":1}'],
  ])('start empty from a file that is %s, and say so once', async (_, content) => {
    const disk = createDisk();
    disk.memory.put(PATH, content);
    const store = await open(disk);
    expect(store.of('uid').containers.size).toBe(0);
    expect(store.logger.lines).toMatchObject([{ level: 'warn', fields: { path: PATH } }]);
    store.setContainer('uid', 'app', app('1'));
    await store.saved();
    expect((await open(disk)).of('uid').containers.size).toBe(1);
  });

  it('report a full disk to waiting callers, keep the records, and write them later', async () => {
    const disk = createDisk();
    const store = await open(disk);
    disk.failure = new Error('ENOSPC: no space left on device');
    store.setContainer('uid', 'app', app('1'));
    await expect(store.saved()).rejects.toThrow(`cannot write ${PATH}: ENOSPC`);
    await expect(store.saved()).rejects.toThrow('ENOSPC');
    expect(store.logger.lines).toHaveLength(1);
    expect(store.of('uid').containers.get('app')).toEqual(app('1'));
    disk.failure = undefined;
    store.setContainer('uid', 'other', app('1'));
    await store.saved();
    expect((await open(disk)).of('uid').containers.size).toBe(2);
  });

  it('reach the disk before the disposal of the store ends', async () => {
    const disk = createDisk();
    const store = await open(disk);
    store.setContainer('uid', 'app', app('1'));
    await store[Symbol.asyncDispose]();
    expect((await open(disk)).of('uid').containers.size).toBe(1);
  });
});
