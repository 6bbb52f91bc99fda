import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseFileSpec } from './file-spec.ts';
import { packFiles } from './pack-files.ts';
import { archivePrefix, unpackFiles } from './unpack-files.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'rxlet-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('an archive', () => {
  it('carries a directory with its files, and no links', async () => {
    await mkdir(join(folder, 'from/empty'), { recursive: true });
    await writeFile(join(folder, 'from/large'), Buffer.alloc(300_000, 7));
    await writeFile(join(folder, 'from/none'), '');
    await symlink('/etc/passwd', join(folder, 'from/link'));
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const archive = packFiles(join(folder, 'from'), 'name', warn);
    await unpackFiles(archive, { source: '/name', destination: join(folder, 'to'), warn });
    expect((await readdir(join(folder, 'to'))).toSorted()).toEqual(['empty', 'large', 'none']);
    expect(await readFile(join(folder, 'to/large'))).toEqual(Buffer.alloc(300_000, 7));
    expect((await stat(join(folder, 'to/none'))).size).toBe(0);
    expect(warnings).toEqual([`warning: skipping symlink: "${join(folder, 'to/link')}" -> "/etc/passwd"`]);
  });

  it('packs a single file as that file', async () => {
    await writeFile(join(folder, 'from'), 'content');
    const archive = packFiles(join(folder, 'from'), 'etc/config', () => undefined);
    await unpackFiles(archive, { source: '/etc/config', destination: join(folder, 'to'), warn: () => undefined });
    expect(await readFile(join(folder, 'to'), 'utf8')).toBe('content');
  });

  it('rejects a missing file', async () => {
    const archive = packFiles(join(folder, 'absent'), 'x', () => undefined);
    const unpacked = unpackFiles(archive, { source: 'x', destination: folder, warn: () => undefined });
    await expect(unpacked).rejects.toThrow('ENOENT');
  });

  it.each([
    ['data/../../escape', 'warning'],
    ['elsewhere/file', 'corrupted'],
    ['/data/file', 'corrupted'],
    ['database/file', 'corrupted'],
  ])('does not write %s outside', async (name, outcome) => {
    const archive = pack();
    archive.entry({ name }, 'evil');
    archive.finalize();
    const warnings: string[] = [];
    const unpacked = unpackFiles(archive as unknown as Readable, {
      source: '/data',
      destination: join(folder, 'to'),
      warn: (message) => void warnings.push(message),
    });
    if (outcome === 'corrupted') await expect(unpacked).rejects.toThrow('tar contents corrupted');
    else await unpacked;
    expect(warnings).toHaveLength(outcome === 'warning' ? 1 : 0);
    expect(await readdir(folder)).toEqual([]);
  });
});

it.each([
  ['/a/b/', 'a/b'],
  ['../../a', 'a'],
  ['.', ''],
  ['/', ''],
])('the names for %s begin with %j', (source, prefix) => {
  expect(archivePrefix(source)).toBe(prefix);
});

it.each([
  ['./file', { kind: 'local', path: './file' }],
  ['web:/tmp/x', { kind: 'remote', pod: 'web', path: '/tmp/x' }],
  ['shop/web:x', { kind: 'remote', namespace: 'shop', pod: 'web', path: 'x' }],
])('%s names a file', (text, spec) => {
  expect(parseFileSpec(text)).toEqual(spec);
});

it.each([':x', 'a/b/c:x', 'web:', ''])('%j names no file', (text) => {
  expect(() => parseFileSpec(text)).toThrow(/filespec must match|filepath can not be empty/);
});
