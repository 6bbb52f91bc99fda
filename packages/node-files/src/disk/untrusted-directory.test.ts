import { chmod, lchown, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findUntrustedDirectory, checkComponent, type PathComponent } from './untrusted-directory.ts';

describe('judgeComponent', () => {
  const directory: PathComponent = { kind: 'directory', uid: 0, gid: 0, mode: 0o755 };
  const judge = (component: Partial<PathComponent>, uid: number, isLast = false): string | undefined =>
    checkComponent({ ...directory, ...component }, uid, isLast)?.type;

  it('trusts root and the user of the agent', () => {
    expect(judge({}, 1000)).toBeUndefined();
    expect(judge({ uid: 1000 }, 1000)).toBeUndefined();
    expect(judge({ uid: 1000 }, 0)).toBe('owner');
    expect(judge({ uid: 1001 }, 1000)).toBe('owner');
  });

  it('permits directories of everyone above it with the sticky bit alone', () => {
    expect(judge({ mode: 0o1777 }, 0)).toBeUndefined();
    expect(judge({ mode: 0o777 }, 0)).toBe('everyone');
    expect(judge({ mode: 0o1777 }, 0, true)).toBe('everyone');
  });

  it('permits directories above it that the private group of the user may write to', () => {
    expect(judge({ mode: 0o775, gid: 104 }, 0)).toBe('group');
    expect(judge({ mode: 0o775, uid: 1000, gid: 1000 }, 1000)).toBeUndefined();
    expect(judge({ mode: 0o775, uid: 1000, gid: 1000 }, 1000, true)).toBe('group');
    expect(judge({ mode: 0o775, uid: 1000, gid: 100 }, 1000)).toBe('group');
  });

  it('judges links by their owner', () => {
    expect(judge({ kind: 'link', mode: 0o777 }, 0)).toBeUndefined();
    expect(judge({ kind: 'link', mode: 0o777, uid: 5 }, 0)).toBe('owner');
  });
});

describe('findUntrustedDirectory', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trusted-'));
    await mkdir(join(folder, 'a/b'), { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('finds nothing on a path of root and the user, links included', async () => {
    await symlink('a', join(folder, 'link'));
    expect(await findUntrustedDirectory(join(folder, 'link/b'))).toBeUndefined();
    await chmod(join(folder, 'a'), 0o1777);
    expect(await findUntrustedDirectory(join(folder, 'a/b'))).toBeUndefined();
  });

  it('finds a directory above the target of a link', async () => {
    await symlink('a/b', join(folder, 'link'));
    await chmod(join(folder, 'a'), 0o777);
    expect(await findUntrustedDirectory(join(folder, 'link'))).toEqual({
      path: join(folder, 'a'),
      problem: 'can be written by every user (mode 777)',
      remedy: `chmod o-w "${join(folder, 'a')}"`,
    });
  });

  it('reports a circle of links', async () => {
    await symlink('two', join(folder, 'one'));
    await symlink('one', join(folder, 'two'));
    await expect(findUntrustedDirectory(join(folder, 'one'))).rejects.toThrow('too many links');
  });

  it.runIf(process.geteuid?.() === 0)('finds links and directories of other users', async () => {
    await symlink('a', join(folder, 'link'));
    await lchown(join(folder, 'link'), 1234, 1234);
    expect(await findUntrustedDirectory(join(folder, 'link/b'))).toEqual({
      path: join(folder, 'link'),
      problem: 'is a link of another user (uid 1234)',
      remedy: `chown -h 0 "${join(folder, 'link')}"`,
    });
    await lchown(join(folder, 'a'), 1234, 1234);
    expect(await findUntrustedDirectory(join(folder, 'a/b'))).toMatchObject({
      path: join(folder, 'a'),
      problem: 'belongs to another user (uid 1234)',
    });
  });
});
