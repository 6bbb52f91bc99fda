import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemErrorCode } from '../errors.ts';
import { nodeFilesContract } from '../node-files-contract.ts';
import { createHostFiles } from './disk-host-files.ts';
import { createNodeFiles } from './disk-node-files.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function createFiles() {
  const folder = await mkdtemp(join(tmpdir(), 'node-files-'));
  folders.push(folder);
  const root = join(folder, 'root');
  const nodeFiles = createNodeFiles({ roots: [root] });
  await nodeFiles.makeDirectory(root, 0o755);
  return {
    nodeFiles,
    hostFiles: createHostFiles(),
    root,
    putLink: (path: string, target: string) => symlink(target, path),
    putPipe: (path: string) => void execFileSync('mkfifo', [path]),
  };
}

describe('files on disk', () => {
  it.each(Object.entries(nodeFilesContract))('%s', async (_name, check) => {
    await check(await createFiles());
  });

  it.runIf(process.getuid?.() === 0)('stay when a mount point is in the way, even one of the same disk', async () => {
    const { nodeFiles, root } = await createFiles();
    await nodeFiles.makeDirectory(join(root, 'precious'), 0o700);
    await nodeFiles.writeFile(join(root, 'precious/file'), 'kept', 0o600);
    await nodeFiles.makeDirectory(join(root, 'tree/below/target'), 0o700);
    await nodeFiles.writeFile(join(root, 'tree/target'), '', 0o600);
    execFileSync('mount', ['--bind', join(root, 'precious'), join(root, 'tree/below/target')]);
    execFileSync('mount', ['--bind', join(root, 'precious/file'), join(root, 'tree/target')]);
    try {
      const above = await nodeFiles.openDirectory(join(root, 'tree'));
      expect(await above!.isMountPoint('target')).toBe(true);
      expect(await above!.isMountPoint('below')).toBe(false);
      await above![Symbol.asyncDispose]();
      for (const path of ['tree', 'tree/below/target', 'tree/target'])
        await expect(nodeFiles.removeTree(join(root, path))).rejects.toMatchObject({ reason: 'MountPoint' });
    } finally {
      execFileSync('umount', [join(root, 'tree/below/target'), join(root, 'tree/target')]);
    }
    expect(await readFile(join(root, 'precious/file'), 'utf8')).toBe('kept');
    await nodeFiles.removeTree(join(root, 'tree'));
    expect(await nodeFiles.list(root)).toEqual(['precious']);
  });

  it('leave the old content and no temporary file when a replacement fails', async () => {
    const { nodeFiles, root } = await createFiles();
    await nodeFiles.makeDirectory(join(root, 'file'), 0o700);
    await nodeFiles.writeFile(join(root, 'file/inside'), '', 0o600);
    await expect(nodeFiles.replaceFile(join(root, 'file'), 'new', 0o600)).rejects.toMatchObject({ code: 'EISDIR' });
    expect(await nodeFiles.list(root)).toEqual(['file']);
  });

  it('follow no link in the place of the temporary file of a replacement', async () => {
    const { nodeFiles, root, putLink } = await createFiles();
    await nodeFiles.writeFile(join(root, 'precious'), 'kept', 0o600);
    await putLink(join(root, 'state.tmp'), join(root, 'precious'));
    await nodeFiles.replaceFile(join(root, 'state'), 'content', 0o600);
    expect(await readFile(join(root, 'precious'), 'utf8')).toBe('kept');
    expect(await readFile(join(root, 'state'), 'utf8')).toBe('content');
  });

  it('get their modes whatever the umask', async () => {
    const { nodeFiles, root } = await createFiles();
    const before = process.umask(0o077);
    try {
      await nodeFiles.makeDirectory(join(root, 'a/b'), 0o755);
      await nodeFiles.createFile(join(root, 'a/b/message'), 0o666);
      await nodeFiles.writeFile(join(root, 'a/hosts'), 'text', 0o644);
      await nodeFiles.replaceFile(join(root, 'a/state'), 'text', 0o640);
    } finally {
      process.umask(before);
    }
    const paths = ['a', 'a/b', 'a/b/message', 'a/hosts', 'a/state'];
    const modes = await Promise.all(paths.map(async (path) => (await nodeFiles.stat(join(root, path)))?.mode));
    expect(modes).toEqual([0o755, 0o755, 0o666, 0o644, 0o640]);
  });

  it('work in a root that is itself a link', async () => {
    const { root, putLink } = await createFiles();
    await putLink(`${root}-link`, root);
    const linked = createNodeFiles({ roots: [`${root}-link`] });
    await linked.makeDirectory(`${root}-link/a`, 0o755);
    await linked.writeFile(`${root}-link/a/file`, 'text', 0o644);
    expect(await readFile(join(root, 'a/file'), 'utf8')).toBe('text');
  });

  it('may have the root directory of the node as a root', async () => {
    const { root } = await createFiles();
    const files = createNodeFiles({ roots: ['/'] });
    await files.makeDirectory(join(root, 'a/b'), 0o700);
    await files.writeFile(join(root, 'a/b/file'), 'x', 0o600);
    expect(await files.list(join(root, 'a'))).toEqual(['b']);
    await using directory = await files.openDirectory(join(root, 'a/b'));
    expect(await directory?.list()).toEqual(['file']);
  });

  it('cannot be watched where there is nothing', () => {
    expect(() => createHostFiles().watch('/nowhere', { onChange: () => undefined })).toThrow('ENOENT');
  });

  it('list an entry that cannot be described with the cause, and a link in a circle as one to nothing', async () => {
    const { hostFiles, root } = await createFiles();
    await symlink('circle', join(root, 'circle'));
    await symlink('x'.repeat(256), join(root, 'unreadable'));
    const { entries } = await hostFiles.list(root);
    const errors = entries.map(({ name, info, error }) => [name, info, systemErrorCode(error)]);
    expect(errors.toSorted()).toEqual([
      ['circle', undefined, undefined],
      ['unreadable', undefined, 'ENAMETOOLONG'],
    ]);
  });

  it('read a file whose size is not known, as below /proc', async () => {
    expect((await createHostFiles().read('/proc/self/status', 100_000))!.bytes.length).toBeGreaterThan(500);
  });
});
