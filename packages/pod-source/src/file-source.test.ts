import type { PodSourceProblem } from '@rxlet/agent-api/sources';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFileSource, type FileSourceOptions } from './file-source.ts';
import type { LastGoodFile } from './last-good-pods.ts';
import { MAX_INLINE_BYTES } from './manifest-decoder.ts';
import { MAX_MANIFEST_BYTES } from './manifest-reader.ts';
import { testManifest } from './test-manifest.ts';
import { createTestFolder, exhaustThreads, recordProblems, type TestFolder } from './test-support.ts';

interface Options {
  readonly start?: boolean;
  readonly folder?: TestFolder;
  readonly lastGoodFile?: LastGoodFile;
  readonly options?: Partial<FileSourceOptions>;
}

function setUp({ start = true, folder = createTestFolder(), lastGoodFile, options }: Options = {}) {
  const clock = createVirtualClock();
  const source = createFileSource(
    { clock, hostFiles: folder.hostFiles, lastGoodFile },
    { path: '/manifests/', nodeName: 'node1', ...options },
  );
  /** Each snapshot as `name image` of its pods. */
  const snapshots: string[][] = [];
  const { appeared: problems, present } = recordProblems(source.problems$);
  source.snapshots$.subscribe((pods) =>
    snapshots.push(pods.map(({ metadata, spec }) => `${metadata!.name!} ${spec!.containers[0]!.image!}`)),
  );
  if (start) source.start();
  return { clock, folder, source, snapshots, problems, present };
}

/** A thread takes more than a second to start on a machine that is busy. */
const THREAD_START = { timeout: 20_000 };

describe('createFileSource', () => {
  it('emits the pods of the folder, sorted by file, without dot files', async () => {
    const { clock, folder, source, snapshots, problems } = setUp({ start: false });
    await using _ = source;
    folder.write('b.yaml', testManifest('two', 'busybox:1'));
    folder.write(
      'a.json',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'one' },
        spec: { containers: [{ name: 'c', image: 'x' }] },
      }),
    );
    folder.write('.hidden.yaml', testManifest('hidden', 'busybox:1'));
    await clock.settle();
    expect(snapshots).toEqual([]);
    source.start();
    source.start();
    await clock.settle();
    expect(snapshots).toEqual([['one-node1 x', 'two-node1 busybox:1']]);
    expect(problems).toEqual([]);
  });

  it('decodes a manifest again that could not be decoded for want of a thread', async () => {
    const threads = exhaustThreads();
    const { clock, folder, source, snapshots, present } = setUp({ start: false });
    await using _ = source;
    folder.write('a.yaml', `# ${'x'.repeat(MAX_INLINE_BYTES)}\n${testManifest('one', 'busybox:1')}`);
    source.start();
    await vi.waitFor(() => expect(snapshots).toEqual([[]]));
    expect(present()).toEqual([expect.stringContaining('cannot decode /manifests/a.yaml')]);
    threads.release();
    await clock.advance(20_000);
    await vi.waitFor(() => expect(snapshots.at(-1)).toEqual(['one-node1 busybox:1']), THREAD_START);
    expect(present()).toEqual([]);
  });

  it('emits an empty snapshot for an empty folder', async () => {
    const { clock, source, snapshots } = setUp();
    await using _ = source;
    await clock.settle();
    expect(snapshots).toEqual([[]]);
  });

  it('replays the latest snapshot to late subscribers', async () => {
    const { clock, folder, source } = setUp();
    await using _ = source;
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    await clock.advance(200);
    let late: number | undefined;
    source.snapshots$.subscribe((pods) => (late = pods.length));
    expect(late).toBe(1);
  });

  it('sees new, changed and removed files', async () => {
    const { clock, folder, source, snapshots } = setUp();
    await using _ = source;
    await clock.settle();
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    await clock.advance(100);
    folder.write('a.yaml', testManifest('one', 'busybox:2'));
    await clock.advance(100);
    folder.remove('a.yaml');
    await clock.advance(100);
    expect(snapshots).toEqual([[], ['one-node1 busybox:1'], ['one-node1 busybox:2'], []]);
  });

  it('waits until a file is written to its end', async () => {
    const { clock, folder, source, snapshots, problems } = setUp();
    await using _ = source;
    await clock.settle();
    const text = testManifest('one', 'busybox:1');
    for (let end = 0; end < text.length; end += 30) {
      folder.write('a.yaml', text.slice(0, end));
      await clock.advance(90);
    }
    folder.write('a.yaml', text);
    await clock.advance(100);
    expect(snapshots).toEqual([[], ['one-node1 busybox:1']]);
    expect(problems).toEqual([]);
  });

  it('bounds the wait for a folder that keeps changing', async () => {
    const { clock, folder, source, snapshots } = setUp();
    await using _ = source;
    await clock.settle();
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    for (let elapsedMs = 0; elapsedMs < 1000; elapsedMs += 50) {
      folder.write('b.txt', '#');
      await clock.advance(50);
    }
    expect(snapshots.at(-1)).toEqual(['one-node1 busybox:1']);
  });

  it('reads a file again only when it changed', async () => {
    const { clock, folder, source, snapshots } = setUp();
    await using _ = source;
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    folder.write('broken.yaml', 'a: [');
    await clock.advance(65_000);
    expect(folder.reads).toEqual(
      new Map([
        ['a.yaml', 1],
        ['broken.yaml', 1],
      ]),
    );
    expect(snapshots).toHaveLength(1);
  });

  it('finds by its periodic look what the watch missed', async () => {
    const { clock, folder, source, snapshots } = setUp();
    await using _ = source;
    await clock.settle();
    folder.memory.unseen(() => folder.write('a.yaml', testManifest('one', 'busybox:1')));
    await clock.advance(19_999);
    expect(snapshots).toEqual([[]]);
    await clock.advance(1);
    expect(snapshots).toEqual([[], ['one-node1 busybox:1']]);
  });

  it('reports a broken file once, and runs the others', async () => {
    const { clock, folder, source, snapshots, problems } = setUp();
    await using _ = source;
    folder.write('a.yaml', 'apiVersion: v1\nkind: Deployment\n');
    folder.write('b.yaml', testManifest('two', 'busybox:1'));
    await clock.advance(60_000);
    expect(snapshots.at(-1)).toEqual(['two-node1 busybox:1']);
    expect(problems).toEqual([
      'InvalidManifest: /manifests/a.yaml: holds a v1 Deployment; expected a v1 Pod: a node runs single pods, so make a Pod of the template of the Deployment, or create it through an API server',
    ]);
  });

  it('reports a problem again when it changed or came back', async () => {
    const { clock, folder, source, problems, present } = setUp();
    await using _ = source;
    const contents = ['a: [', 'a: [ ', '- a', testManifest('one', 'busybox:1'), 'a: [', ''];
    for (const content of contents) {
      folder.write('a.yaml', content);
      await clock.advance(100);
    }
    expect(problems.map((problem) => problem.slice(36, 66))).toEqual([
      'is not YAML: Flow sequence in ',
      'is not YAML: Flow sequence in ',
      'holds a list; expected a Pod (',
      'is not YAML: Flow sequence in ',
      'is empty; write a Pod into it,',
    ]);
    expect(present()).toHaveLength(1);
    folder.remove('a.yaml');
    await clock.advance(100);
    expect(present()).toEqual([]);
  });

  it('keeps the last good pod of a file that breaks, until it is repaired or removed', async () => {
    const { clock, folder, source, snapshots, problems } = setUp();
    await using _ = source;
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    await clock.advance(100);
    folder.write('a.yaml', 'kind: ');
    await clock.advance(100);
    expect(problems.at(-1)).toMatch(/has no kind; .*; the pod of its last good version is kept$/);
    folder.failRead('a.yaml', new Error('EIO: i/o error'));
    await clock.advance(100);
    expect(problems.at(-1)).toBe(
      'FileUnreadable: cannot read /manifests/a.yaml: EIO: i/o error; allow this user to read it, or remove it; the pod of its last good version is kept',
    );
    expect(snapshots).toEqual([['one-node1 busybox:1']]);
    folder.write('a.yaml', testManifest('one', 'busybox:2'));
    await clock.advance(100);
    folder.write('a.yaml', 'kind: ');
    await clock.advance(100);
    folder.remove('a.yaml');
    await clock.advance(100);
    expect(snapshots.slice(1)).toEqual([['one-node1 busybox:2'], []]);
  });

  it('tries a file again that could not be read, though it did not change', async () => {
    const { clock, folder, source, snapshots } = setUp();
    await using _ = source;
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    folder.failRead('a.yaml', new Error('EMFILE: too many open files'));
    await clock.advance(100);
    const before = folder.reads.get('a.yaml')!;
    await clock.advance(20_000);
    expect(folder.reads.get('a.yaml')).toBe(before + 1);
    folder.memory.unseen(() => folder.failRead('a.yaml', undefined));
    await clock.advance(20_000);
    expect(snapshots.at(-1)).toEqual(['one-node1 busybox:1']);
  });

  it('skips what is no regular file, with one message', async () => {
    const { clock, folder, source, snapshots, problems } = setUp();
    await using _ = source;
    folder.memory.putDirectory('/manifests/folder');
    folder.memory.putLink('/manifests/link', '/nowhere');
    folder.memory.putSpecial('/manifests/pipe', 'fifo');
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    await clock.advance(60_000);
    expect(snapshots.at(-1)).toEqual(['one-node1 busybox:1']);
    expect(problems).toEqual([
      'NotAFile: /manifests/folder is a folder and is skipped; put its manifests beside it',
      'NotAFile: /manifests/link is a link to nothing and is skipped; repair or remove it',
      'NotAFile: /manifests/pipe is no regular file and is skipped; remove it',
    ]);
  });

  it('keeps the last good pod of an entry that cannot be described, and reports the cause', async () => {
    const { clock, folder, source, snapshots, problems } = setUp();
    await using _ = source;
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    await clock.advance(100);
    const { fault } = folder.memory;
    folder.memory.fault = (operation, file) => {
      if (operation === 'stat') throw new Error('ESTALE: stale file handle');
      return fault?.(operation, file);
    };
    await clock.advance(20_000);
    folder.memory.fault = fault;
    await clock.advance(20_000);
    expect(snapshots).toEqual([['one-node1 busybox:1']]);
    expect(problems).toEqual([
      'FileUnreadable: cannot read /manifests/a.yaml: ESTALE: stale file handle; allow this user to read it, or remove it; the pod of its last good version is kept',
    ]);
  });

  it('rejects a file that became a pipe, or too large, after it was listed', async () => {
    const { clock, folder, source, problems } = setUp();
    await using _ = source;
    await clock.settle();
    const listed = folder.hostFiles.list;
    const pretend = async (path: string) => {
      const { entries, ...listing } = await listed(path);
      const info = { ...folder.memory.info('/manifests')!, kind: 'file', sizeBytes: 1 } as const;
      return { ...listing, entries: entries.map((entry) => ({ ...entry, info })) };
    };
    folder.hostFiles.list = pretend;
    folder.memory.putSpecial('/manifests/pipe', 'fifo');
    folder.memory.put('/manifests/large', new Uint8Array(MAX_MANIFEST_BYTES + 1));
    await clock.advance(100);
    expect(problems).toEqual([
      'FileUnreadable: /manifests/large has more than 10485760 bytes; replace or remove it',
      'FileUnreadable: /manifests/pipe is not a regular file; replace or remove it',
    ]);
  });

  it('does not read a file of more than 10 MiB', async () => {
    const { clock, folder, source, snapshots, problems } = setUp();
    await using _ = source;
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    folder.write('large.yaml', new Uint8Array(MAX_MANIFEST_BYTES + 1));
    await clock.advance(60_000);
    expect(snapshots.at(-1)).toEqual(['one-node1 busybox:1']);
    expect(folder.reads.has('large.yaml')).toBe(false);
    expect(problems).toEqual([
      'FileUnreadable: /manifests/large.yaml has 10485761 bytes, more than the 10485760 (10 MiB) of a manifest; shorten or remove it',
    ]);
  });

  it('rejects a file that is not UTF-8', async () => {
    const { clock, folder, source, problems } = setUp();
    await using _ = source;
    folder.write('a.yaml', new Uint8Array([0x61, 0x3a, 0x20, 0xff, 0xfe]));
    await clock.advance(100);
    expect(problems).toEqual([
      'InvalidManifest: /manifests/a.yaml: is not UTF-8 text; write a Pod as YAML or JSON into it, or remove it',
    ]);
  });

  it('runs a pod with unknown fields, and reports it once', async () => {
    const { clock, folder, source, snapshots, problems } = setUp();
    await using _ = source;
    folder.write('a.yaml', `${testManifest('one', 'busybox:1')}  hostNetwerk: true\n`);
    await clock.advance(60_000);
    expect(snapshots.at(-1)).toEqual(['one-node1 busybox:1']);
    expect(problems).toEqual([
      'ManifestWarning: /manifests/a.yaml: fields that a Pod does not have are ignored: spec.hostNetwerk',
    ]);
  });

  it('takes a folder that does not exist for an empty one, and reports it', async () => {
    const { clock, folder, source, snapshots, problems, present } = setUp({
      start: false,
      options: { pathSetting: '--pod-manifest-path' },
    });
    await using _ = source;
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    folder.vanish();
    source.start();
    await clock.advance(10_000);
    expect(snapshots).toEqual([[]]);
    expect(problems).toEqual([
      'SourceUnavailable: /manifests does not exist and has no pods; create it, or correct --pod-manifest-path',
    ]);
    folder.comeBack();
    await clock.advance(1000);
    expect(snapshots.at(-1)).toEqual(['one-node1 busybox:1']);
    expect(present()).toEqual([]);
  });

  it('removes the pods of a folder that disappears, and watches the one that comes back', async () => {
    const { clock, folder, source, snapshots, problems } = setUp();
    await using _ = source;
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    folder.write('b.yaml', testManifest('two', 'busybox:1'));
    await clock.advance(100);
    folder.vanish();
    await clock.advance(60_000);
    expect(snapshots.at(-1)).toEqual([]);
    expect(problems).toEqual([
      'SourceUnavailable: /manifests does not exist and has no pods; create it, or correct the path',
    ]);
    folder.comeBack();
    folder.memory.unseen(() => folder.remove('a.yaml'));
    await clock.advance(1000);
    expect(snapshots.at(-1)).toEqual(['two-node1 busybox:1']);
    expect(folder.memory.openWatches).toBe(1);
    folder.write('c.yaml', testManifest('three', 'busybox:1'));
    await clock.advance(100);
    expect(snapshots.at(-1)).toEqual(['two-node1 busybox:1', 'three-node1 busybox:1']);
  });

  it('is not ready before a folder can be read whose pods it does not know', async () => {
    const { clock, folder, source, snapshots } = setUp({ start: false });
    await using _ = source;
    folder.failList(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }));
    source.start();
    await clock.advance(10_000);
    expect(snapshots).toEqual([]);
    folder.failList(undefined);
    await clock.advance(1000);
    expect(snapshots).toEqual([[]]);
  });

  it('emits each pod as soon as it is read, and a snapshot when all were read', async () => {
    const { clock, folder, source, snapshots } = setUp({ start: false });
    await using _ = source;
    const upserts: (string | undefined)[] = [];
    source.upserts$!.subscribe((pods) => upserts.push(...pods.map(({ metadata }) => metadata!.name)));
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    folder.write('b.yaml', testManifest('two', 'busybox:1'));
    const release = folder.holdRead('b.yaml');
    source.start();
    await clock.settle();
    expect([upserts, snapshots]).toEqual([['one-node1'], []]);
    release();
    await clock.settle();
    expect([upserts, snapshots]).toEqual([
      ['one-node1', 'two-node1'],
      [['one-node1 busybox:1', 'two-node1 busybox:1']],
    ]);
  });

  it('reads a file that is moved into place at once, and others only when the folder is quiet', async () => {
    const { clock, folder, source, snapshots } = setUp();
    await using _ = source;
    folder.write('c.yaml', testManifest('three', 'busybox:1'));
    await clock.advance(100);
    folder.write('d.yaml', testManifest('four', 'busybox:1'));
    folder.place('b.yaml', testManifest('two', 'busybox:1'));
    await clock.settle();
    expect(snapshots.at(-1)).toEqual(['two-node1 busybox:1', 'three-node1 busybox:1']);
    folder.place('b.yaml', testManifest('two', 'busybox:2'));
    await clock.settle();
    expect(snapshots.at(-1)).toEqual(['two-node1 busybox:2', 'three-node1 busybox:1']);
    folder.place('.b.yaml', testManifest('hidden', 'busybox:2'));
    await clock.advance(100);
    expect(snapshots.at(-1)).toEqual(['two-node1 busybox:2', 'three-node1 busybox:1', 'four-node1 busybox:1']);
    expect(folder.reads.get('b.yaml')).toBe(2);
  });

  it('removes the pod of a removed file at once, and adds it again when the file was written anew', async () => {
    const { clock, folder, source, snapshots } = setUp();
    await using _ = source;
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    folder.write('b.yaml', testManifest('two', 'busybox:1'));
    await clock.advance(100);
    folder.remove('a.yaml');
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    await clock.settle();
    expect(snapshots.at(-1)).toEqual(['two-node1 busybox:1']);
    await clock.advance(100);
    expect(snapshots.at(-1)).toEqual(['one-node1 busybox:1', 'two-node1 busybox:1']);
  });

  it('names the pod that is kept of a broken manifest', async () => {
    const { clock, folder, source } = setUp();
    await using _ = source;
    let present: readonly PodSourceProblem[] = [];
    source.problems$.subscribe((problems) => (present = problems));
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    await clock.advance(100);
    const [pod] = await firstValueFrom(source.snapshots$);
    folder.write('a.yaml', 'broken: [');
    folder.write('b.yaml', 'broken: [');
    await clock.advance(100);
    expect(present).toMatchObject([
      {
        source: 'file',
        path: '/manifests/a.yaml',
        reason: 'InvalidManifest',
        isPodKept: true,
        pod: { name: 'one-node1', namespace: 'default', uid: pod!.metadata!.uid },
      },
      { path: '/manifests/b.yaml' },
    ]);
    expect(present[1]).not.toHaveProperty('pod');
    expect(source.manifestOf?.(pod!)).toBe('/manifests/a.yaml');
  });

  it('keeps all pods while the folder cannot be listed', async () => {
    const { clock, folder, source, snapshots, problems } = setUp();
    await using _ = source;
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    await clock.advance(100);
    folder.failList(Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }));
    await clock.advance(20_000);
    folder.failList(new Error('ESTALE: stale file handle'));
    await clock.advance(1000);
    expect(snapshots).toEqual([['one-node1 busybox:1']]);
    expect(problems).toEqual([
      'SourceUnavailable: cannot read /manifests: permission denied; change its permissions, or run as another user; its pods are kept',
      'SourceUnavailable: cannot read /manifests: ESTALE: stale file handle; it is retried every second; its pods are kept',
    ]);
  });

  it('continues without a watch, and starts one when possible', async () => {
    const { clock, folder, source, snapshots, problems } = setUp({ start: false });
    await using _ = source;
    folder.failNextWatch(new Error('ENOSPC: no space for watches'));
    source.start();
    await clock.advance(1);
    expect(problems).toEqual([
      'NotWatched: cannot watch /manifests: ENOSPC: no space for watches; changes are found every 20 s only (fs.inotify.max_user_watches may be too low)',
    ]);
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    await clock.advance(20_000);
    expect(snapshots.at(-1)).toEqual(['one-node1 busybox:1']);
    expect(folder.memory.openWatches).toBe(1);
    folder.memory.endWatches(new Error('the watch broke'));
    expect(problems).toHaveLength(2);
    await clock.advance(20_000);
    expect(folder.memory.openWatches).toBe(1);
  });

  it('keeps a UID while nothing changed, and gives another to changed content', async () => {
    const { clock, folder, source } = setUp();
    await using _ = source;
    const uids: (string | undefined)[] = [];
    source.snapshots$.subscribe(([pod]) => uids.push(pod?.metadata?.uid));
    await clock.settle();
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    await clock.advance(100);
    folder.write('a.yaml', `# a comment\n${testManifest('one', 'busybox:1')}`);
    await clock.advance(100);
    folder.write('a.yaml', testManifest('one', 'busybox:2'));
    await clock.advance(100);
    const [none, first, second, ...more] = uids;
    expect(none).toBeUndefined();
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toMatch(/^[0-9a-f]{32}$/);
    expect(second).not.toBe(first);
    expect(more).toEqual([]);
  });

  it('leaves nothing behind when it is disposed of', async () => {
    const { clock, folder, source, snapshots } = setUp();
    await clock.settle();
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    let completed = 0;
    source.snapshots$.subscribe({ complete: () => (completed += 1) });
    source.problems$.subscribe({ complete: () => (completed += 1) });
    await source[Symbol.asyncDispose]();
    await source[Symbol.asyncDispose]();
    expect(completed).toBe(2);
    expect(folder.memory.openWatches).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    expect(snapshots).toEqual([[]]);
  });
});

describe('a file source that is started again', () => {
  /** A first run with pods `one` and `two`, and its last good file. */
  async function firstRun() {
    const folder = createTestFolder();
    const { lastGoodFile } = folder;
    folder.write('a.yaml', testManifest('one', 'busybox:1'));
    folder.write('b.yaml', testManifest('two', 'busybox:1'));
    const { clock, source, snapshots } = setUp({ folder, lastGoodFile });
    await clock.advance(60_000);
    expect(snapshots).toEqual([['one-node1 busybox:1', 'two-node1 busybox:1']]);
    expect(lastGoodFile.writes).toBe(1);
    await source[Symbol.asyncDispose]();
    return { folder, lastGoodFile };
  }
  const uids = async (again: ReturnType<typeof setUp>): Promise<(string | undefined)[]> => {
    const found: (string | undefined)[] = [];
    again.source.snapshots$.subscribe((pods) => found.push(...pods.map(({ metadata }) => metadata?.uid)));
    await again.clock.settle();
    return found;
  };

  it.each([
    ['is half written', (folder: TestFolder) => folder.write('a.yaml', 'apiVersion: v1\nkind: Pod\nmeta')],
    ['is empty, as after a loss of power', (folder: TestFolder) => folder.write('a.yaml', '')],
    ['cannot be read', (folder: TestFolder) => folder.failRead('a.yaml', new Error('EIO'))],
  ])('keeps the last good pod of a file that %s, until it is repaired or removed', async (_, breakFile) => {
    const { folder, lastGoodFile } = await firstRun();
    const good = await (async () => {
      const whole = setUp({ folder, lastGoodFile });
      const found = await uids(whole);
      await whole.source[Symbol.asyncDispose]();
      return found;
    })();
    breakFile(folder);
    for (let restarts = 0; restarts < 2; restarts += 1) {
      const again = setUp({ folder, lastGoodFile });
      expect(await uids(again)).toEqual(good);
      expect(again.problems).toHaveLength(1);
      expect(again.problems[0]).toMatch(/last good version is kept/);
      await again.source[Symbol.asyncDispose]();
    }
    const last = setUp({ folder, lastGoodFile });
    await last.clock.settle();
    folder.failRead('a.yaml', undefined);
    folder.write('a.yaml', testManifest('one', 'busybox:2'));
    await last.clock.advance(200);
    expect(last.snapshots.at(-1)).toEqual(['one-node1 busybox:2', 'two-node1 busybox:1']);
    folder.remove('a.yaml');
    await last.clock.advance(200);
    expect(last.snapshots.at(-1)).toEqual(['two-node1 busybox:1']);
    await last.source[Symbol.asyncDispose]();
  });

  it('ends the pod of a file that was removed meanwhile, and does not bring it back', async () => {
    const { folder, lastGoodFile } = await firstRun();
    folder.remove('a.yaml');
    const again = setUp({ folder, lastGoodFile });
    await again.clock.settle();
    expect(again.snapshots).toEqual([['two-node1 busybox:1']]);
    await again.source[Symbol.asyncDispose]();
    folder.write('a.yaml', '');
    const last = setUp({ folder, lastGoodFile });
    await last.clock.settle();
    expect(last.snapshots).toEqual([['two-node1 busybox:1']]);
    await last.source[Symbol.asyncDispose]();
  });

  const unreadable = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });

  it('keeps all pods of a folder that cannot be read yet', async () => {
    const { folder, lastGoodFile } = await firstRun();
    folder.failList(unreadable);
    const again = setUp({ folder, lastGoodFile });
    await again.clock.advance(5_000);
    expect(again.snapshots).toEqual([['one-node1 busybox:1', 'two-node1 busybox:1']]);
    expect(again.problems).toEqual([expect.stringContaining('its pods are kept')]);
    folder.remove('b.yaml');
    folder.failList(undefined);
    await again.clock.advance(1_000);
    expect(again.snapshots.at(-1)).toEqual(['one-node1 busybox:1']);
    await again.source[Symbol.asyncDispose]();
  });

  it('ends the pods of a folder that no longer exists', async () => {
    const { folder, lastGoodFile } = await firstRun();
    folder.vanish();
    const again = setUp({ folder, lastGoodFile });
    await again.clock.advance(5_000);
    expect(again.snapshots).toEqual([[]]);
    await again.source[Symbol.asyncDispose]();
  });

  it.each([
    ['another node', { nodeName: 'node2' }],
    ['another folder', { path: '/other' }],
  ])('takes no pods of %s', async (_, options) => {
    const { folder, lastGoodFile } = await firstRun();
    folder.failList(unreadable);
    const again = setUp({ folder, lastGoodFile, options });
    await again.clock.advance(5_000);
    expect(again.snapshots).toEqual([]);
    await again.source[Symbol.asyncDispose]();
  });

  it('keeps no pod that it would not take from a manifest', async () => {
    const { folder, lastGoodFile } = await firstRun();
    lastGoodFile.text = lastGoodFile.text!.replace('"containers":[', '"volumes":7,"containers":[');
    folder.write('a.yaml', '');
    folder.write('b.yaml', '');
    const again = setUp({ folder, lastGoodFile });
    await again.clock.settle();
    expect(again.snapshots).toEqual([['two-node1 busybox:1']]);
    await again.source[Symbol.asyncDispose]();
  });

  it('reads the folder although a saved pod cannot be checked', async () => {
    const { folder, lastGoodFile } = await firstRun();
    lastGoodFile.text = lastGoodFile.text!.replace('"containers":[', '"volumes":[null],"containers":[');
    folder.write('a.yaml', '');
    const again = setUp({ folder, lastGoodFile });
    await again.clock.settle();
    expect(again.snapshots).toEqual([['two-node1 busybox:1']]);
    await again.source[Symbol.asyncDispose]();
  });

  it.each([
    ['cut short', '{"version":1,"pods":{"/manifests/a.yaml":{"spec":"pass', 'it is no JSON'],
    ['of another version', '{"version":2}', 'it is not of version 1'],
    ['something else', 'null', 'it is not of version 1'],
  ])('ignores a file that is %s, and reports it without its content', async (_, text, reason) => {
    const { folder, lastGoodFile } = await firstRun();
    lastGoodFile.text = text;
    const again = setUp({ folder, lastGoodFile });
    await again.clock.settle();
    expect(again.snapshots).toEqual([['one-node1 busybox:1', 'two-node1 busybox:1']]);
    expect(again.problems).toEqual([
      `LastGoodPodsUnavailable: cannot read /var/lib/static_pods, the last good version of each manifest: ${reason}; a manifest that is broken now gives no pod until it is repaired`,
    ]);
    expect(JSON.parse(lastGoodFile.text)).toMatchObject({ version: 1 });
    await again.source[Symbol.asyncDispose]();
  });

  it('reports once that the disk is full, runs the pods, and writes the file when it can', async () => {
    const { folder, lastGoodFile } = await firstRun();
    const again = setUp({ folder, lastGoodFile });
    await again.clock.settle();
    lastGoodFile.error = new Error('ENOSPC');
    folder.write('a.yaml', testManifest('one', 'busybox:2'));
    await again.clock.advance(100_000);
    expect(again.snapshots.at(-1)).toEqual(['one-node1 busybox:2', 'two-node1 busybox:1']);
    expect(again.problems).toEqual([
      expect.stringContaining('LastGoodPodsUnavailable: cannot write /var/lib/static_pods: ENOSPC'),
    ]);
    lastGoodFile.error = undefined;
    await again.clock.advance(20_000);
    expect(lastGoodFile.text).toContain('busybox:2');
    expect(again.present()).toEqual([]);
    await again.source[Symbol.asyncDispose]();
  });
});
