import { recordingLogger } from '@rxlet/component-base/testing';
import { createMemoryFileSystem } from '@rxlet/runtime-manager/testing';
import { describe, expect, it } from 'vitest';
import { createOrphanDirectories } from './orphan-directories.ts';

function setup(files: Record<string, string>, known: readonly string[] = []) {
  const fs = createMemoryFileSystem(files);
  const logger = recordingLogger();
  const orphans = createOrphanDirectories({ files: fs, logger, isKnown: (uid) => known.includes(uid) }, '/root');
  return { fs, logger, remove: () => orphans.remove(new AbortController().signal) };
}

describe('orphan directories', () => {
  it('are removed with what the agent makes, those of known pods are not', async () => {
    const { fs, logger, remove } = setup(
      {
        '/root/pods/gone/etc-hosts': '',
        '/root/pods/gone/containers/app/a1b2': 'said',
        '/root/pods/here/etc-hosts': '',
        '/root/other': '',
      },
      ['here'],
    );
    await fs.makeDirectory('/root/pods/empty/volumes', 0o750);
    await remove();
    expect(await fs.list('/root/pods')).toEqual(['here']);
    expect(fs.files.has('/root/other')).toBe(true);
    expect(logger.lines).toEqual([]);
  });

  it('stay with what somebody else put there, which is told once, with the way out', async () => {
    const { fs, logger, remove } = setup({
      '/root/pods/gone/etc-hosts': '',
      '/root/pods/gone/volumes/kubernetes.io~nfs/data/precious': 'data',
      '/root/pods/last/etc-hosts': '',
    });
    await remove();
    await remove();
    expect([...fs.files.keys()]).toEqual(['/root/pods/gone/volumes/kubernetes.io~nfs/data/precious']);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      '/root/pods/gone belongs to a pod that is gone, but holds what this agent did not put there (volumes); unmount or remove that by hand',
    ]);
    await fs.removeTree('/root/pods/gone/volumes/kubernetes.io~nfs');
    await remove();
    expect(await fs.list('/root/pods')).toEqual([]);
  });

  it('that cannot be removed are told of, and do not keep the others', async () => {
    const { fs, logger, remove } = setup({ '/root/pods/a/etc-hosts': '', '/root/pods/b/etc-hosts': '' });
    const { removeFile } = fs;
    fs.removeFile = (path) => (path.includes('/a/') ? Promise.reject(new Error('EROFS')) : removeFile(path));
    await remove();
    expect(await fs.list('/root/pods')).toEqual(['a']);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      '/root/pods/a belongs to a pod that is gone, and cannot be removed: EROFS; remove it by hand if this lasts',
    ]);
  });
});
