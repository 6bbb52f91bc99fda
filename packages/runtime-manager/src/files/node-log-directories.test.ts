import { execFileSync } from 'node:child_process';
import { link, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogDirectory } from '../logs/log-directories.ts';
import { rotateLog } from '../logs/rotate-log.ts';
import { createNodeLogDirectories } from './node-log-directories.ts';

const { signal } = new AbortController();
const NOW = Date.UTC(2026, 0, 1);
const ROTATED = '0.log.20260101-000000';

let top: string;
let root: string;
let path: string;
let directory: LogDirectory;

beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'log-directories-'));
  root = join(top, 'pods');
  path = join(root, 'default_web_uid', 'app');
  await mkdir(path, { recursive: true });
  directory = (await createNodeLogDirectories({ root }).open(path))!;
});
afterEach(async () => {
  await directory[Symbol.asyncDispose]();
  await rm(top, { recursive: true, force: true });
});

const put = (name: string, text: string): Promise<void> => writeFile(join(path, name), text, { mode: 0o640 });
const text = (name: string): Promise<string> => readFile(join(path, name), 'utf8');
const names = async (): Promise<string[]> => (await readdir(path)).toSorted();

/** One rotation with a runtime that makes a new file, or does what `reopen` does. */
const rotate = (reopen: () => Promise<void> = () => put('0.log', 'new')): Promise<string> =>
  rotateLog({
    directory,
    log: '0.log',
    maxFiles: 5,
    nowMs: NOW,
    reopen,
    compress: (name) => directory.compress(name, signal),
    signal,
  });

describe('log directories of the node', () => {
  it('tell the size of a log at a glance', async () => {
    const directories = createNodeLogDirectories({ root });
    await put('0.log', 'four');
    await symlink(join(path, '0.log'), join(path, 'link'));
    expect(await directories.glance(join(path, '0.log'))).toBe(4);
    for (const other of ['1.log', 'link', '']) expect(await directories.glance(join(path, other))).toBeUndefined();
    await expect(directories.glance(join(root, '..', 'elsewhere'))).rejects.toMatchObject({ reason: 'UnsafePath' });
  });

  it('compress a file with its mode, however large', async () => {
    const content = 'a line of the log\n'.repeat(300_000);
    await put('old', content);
    await directory.compress('old', signal);
    expect(await names()).toEqual(['old.gz']);
    expect(gunzipSync(await readFile(join(path, 'old.gz'))).toString()).toBe(content);
    expect((await stat(join(path, 'old.gz'))).mode & 0o777).toBe(0o640);
  });

  it('leave a file as it was when compressing it is interrupted', async () => {
    await put('old', 'text');
    await expect(directory.compress('old', AbortSignal.abort())).rejects.toThrow();
    expect(await names()).toEqual(['old']);
  });

  it('work on a directory that was moved, not on what took its place', async () => {
    await put('old', 'text');
    execFileSync('mv', [path, join(top, 'moved')]);
    await mkdir(path);
    await put('old', 'another');
    await directory.remove('old');
    expect(await names()).toEqual(['old']);
    expect(await readdir(join(top, 'moved'))).toEqual([]);
  });

  it('take a root that is a link', async () => {
    await symlink(root, join(top, 'link'));
    await using found = await createNodeLogDirectories({ root: join(top, 'link') }).open(
      join(top, 'link', 'default_web_uid', 'app'),
    );
    expect(await found!.list()).toEqual([]);
    expect(await createNodeLogDirectories({ root }).open(join(root, 'none', 'app'))).toBeUndefined();
  });
});

describe('links and other traps', () => {
  it('do not lead out of the directory of pod logs', async () => {
    const directories = createNodeLogDirectories({ root });
    const outside = join(top, 'outside', 'app');
    await mkdir(outside, { recursive: true });
    await symlink(join(top, 'outside'), join(root, 'pod'));
    await symlink(outside, join(root, 'default_web_uid', 'other'));
    for (const trap of [
      join(root, 'pod', 'app'),
      join(root, 'default_web_uid', 'other'),
      outside,
      `${root}/../outside`,
    ]) {
      await expect(directories.open(trap)).rejects.toMatchObject({ reason: 'UnsafePath' });
    }
    for (const name of ['../x', '..', '.', '', 'a/b']) {
      await expect(directory.remove(name)).rejects.toMatchObject({ reason: 'UnsafePath' });
    }
  });

  it('are not compressed', async () => {
    const secret = join(top, 'secret');
    await writeFile(secret, 'secret');
    await symlink(secret, join(path, 'link'));
    execFileSync('mkfifo', [join(path, 'pipe')]);
    await expect(directory.compress('link', signal)).rejects.toMatchObject({ code: 'ELOOP' });
    await expect(directory.compress('pipe', signal)).rejects.toMatchObject({ reason: 'NotAFile' });
    await put('old', 'text');
    await symlink(secret, join(path, 'old.tmp'));
    await expect(directory.compress('old', signal)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(secret, 'utf8')).toBe('secret');
    expect((await directory.lstat('link'))?.isFile).toBe(false);
    expect(await text('old')).toBe('text');
  });

  it('are no rotated files', async () => {
    await put('0.log', 'text');
    await symlink(top, join(path, '0.log.20250101-000000'));
    await mkdir(join(path, '0.log.d'));
    await rotate();
    expect(await names()).toEqual(['0.log', '0.log.20250101-000000', ROTATED, '0.log.d']);
  });
});

describe('a rotation', () => {
  it('moves a log back by itself, never over a new one', async () => {
    await put('0.log', 'text');
    await expect(rotate(() => Promise.reject(new Error('no')))).rejects.toMatchObject({ reason: 'ReopenFailed' });
    expect(await names()).toEqual(['0.log']);
    const lostReply = async (): Promise<void> => {
      await put('0.log', 'new');
      throw new Error('no reply');
    };
    expect(await rotate(lostReply)).toBe(ROTATED);
    expect([await text('0.log'), await text(ROTATED)]).toEqual(['new', 'text']);
  });

  it('goes on from whatever an interrupted one left', async () => {
    const leftovers: [string, () => Promise<void>][] = [
      ['in the middle of a compression', () => put('0.log.20250101-000000.tmp', 'half')],
      [
        'before the compressed file got its name',
        async () => {
          await put('0.log.20250101-000000', 'old');
          await put('0.log.20250101-000000.tmp', 'whole');
        },
      ],
      [
        'before the original was removed',
        async () => {
          await put('0.log.20250101-000000', 'old');
          await directory.compress('0.log.20250101-000000', signal);
          await put('0.log.20250101-000000', 'old');
        },
      ],
      ['in the middle of a move back', () => link(join(path, '0.log'), join(path, '0.log.20250101-000000'))],
    ];
    for (const [when, leave] of leftovers) {
      for (const name of await names()) await rm(join(path, name));
      await put('0.log', 'current');
      await leave();
      await rotate();
      const left = await names();
      expect([when, left.filter((name) => !name.endsWith('.gz'))]).toEqual([when, ['0.log', ROTATED]]);
      expect([when, await text(ROTATED)]).toEqual([when, 'current']);
      for (const name of left.filter((candidate) => candidate.endsWith('.gz'))) {
        expect([when, gunzipSync(await readFile(join(path, name))).toString()]).toEqual([when, 'old']);
      }
      expect((await lstat(join(path, ROTATED))).nlink).toBe(1);
    }
  });
});
