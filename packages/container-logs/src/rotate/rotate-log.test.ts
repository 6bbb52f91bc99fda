import { execFileSync } from 'node:child_process';
import { link, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNodeFiles, type DirectoryHandle } from '@rxlet/node-files';
import { compressLog } from './compress-log.ts';
import { rotateLog } from './rotate-log.ts';

const { signal } = new AbortController();
const NOW = Date.UTC(2026, 0, 1);
const ROTATED = '0.log.20260101-000000';

let top: string;
let root: string;
let path: string;
let directory: DirectoryHandle;

beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'log-directories-'));
  root = join(top, 'pods');
  path = join(root, 'default_web_uid', 'app');
  await mkdir(path, { recursive: true });
  directory = (await createNodeFiles({ roots: [root] }).openDirectory(path))!;
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
    compress: (name) => compressLog(directory, name, signal),
    signal,
  });

describe('compressing a log', () => {
  it('keeps the mode of the file, however large it is', async () => {
    const content = 'a line of the log\n'.repeat(300_000);
    await put('old', content);
    await compressLog(directory, 'old', signal);
    expect(await names()).toEqual(['old.gz']);
    expect(gunzipSync(await readFile(join(path, 'old.gz'))).toString()).toBe(content);
    expect((await stat(join(path, 'old.gz'))).mode & 0o777).toBe(0o640);
  });

  it('leaves the file unchanged when it is interrupted', async () => {
    await put('old', 'text');
    await expect(compressLog(directory, 'old', AbortSignal.abort())).rejects.toThrow();
    expect(await names()).toEqual(['old']);
  });
});

describe('links and other traps', () => {
  it('stay uncompressed', async () => {
    const secret = join(top, 'secret');
    await writeFile(secret, 'secret');
    await symlink(secret, join(path, 'link'));
    execFileSync('mkfifo', [join(path, 'pipe')]);
    await expect(compressLog(directory, 'link', signal)).rejects.toMatchObject({ reason: 'SymbolicLink' });
    await expect(compressLog(directory, 'pipe', signal)).rejects.toMatchObject({ name: 'UnsafeFileError' });
    await put('old', 'text');
    await symlink(secret, join(path, 'old.tmp'));
    await expect(compressLog(directory, 'old', signal)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(secret, 'utf8')).toBe('secret');
    expect((await directory.stat('link'))?.kind).toBe('symlink');
    expect(await text('old')).toBe('text');
  });

  it('do not count as rotated files', async () => {
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
          await compressLog(directory, '0.log.20250101-000000', signal);
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
