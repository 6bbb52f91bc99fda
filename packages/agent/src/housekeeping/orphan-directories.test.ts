import { recordingLogger } from '@rxlet/component-base/testing';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { createOrphanDirectories } from './orphan-directories.ts';

function setup(files: Record<string, string>, known: readonly string[] = []) {
  const memory = createMemoryFiles({ files });
  const fs = memory.nodeFiles;
  const logger = recordingLogger();
  const orphans = createOrphanDirectories({ files: fs, logger, isKnown: (uid) => known.includes(uid) }, '/root');
  return { memory, fs, logger, remove: () => orphans.remove(new AbortController().signal) };
}

describe('orphan directories', () => {
  it('disappear with the contents that the agent creates, except those of known pods', async () => {
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
    expect(await fs.exists('/root/other')).toBe(true);
    expect(logger.lines).toEqual([]);
  });

  it('stay with contents that the agent did not create, which is logged once, with the way out', async () => {
    const { memory, fs, logger, remove } = setup({
      '/root/pods/gone/etc-hosts': '',
      '/root/pods/gone/volumes/kubernetes.io~nfs/data/precious': 'data',
      '/root/pods/last/etc-hosts': '',
    });
    await remove();
    expect(logger.lines).toEqual([]);
    await remove();
    await remove();
    expect(memory.paths()).toEqual(['/root/pods/gone/volumes/kubernetes.io~nfs/data/precious']);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'cannot remove /root/pods/gone of a pod that is gone: it has contents that this agent did not create (volumes); unmount or remove them manually',
    ]);
    await fs.removeTree('/root/pods/gone/volumes/kubernetes.io~nfs');
    await remove();
    expect(await fs.list('/root/pods')).toEqual([]);
  });

  it('appear in the log when they cannot be removed, without stopping the others', async () => {
    const { memory, fs, logger, remove } = setup({ '/root/pods/a/etc-hosts': '', '/root/pods/b/etc-hosts': '' });
    memory.fault = (operation, path) => {
      if (operation === 'removeFile' && path.includes('/a/')) throw new Error('EROFS');
    };
    await remove();
    await remove();
    expect(await fs.list('/root/pods')).toEqual(['a']);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'cannot remove /root/pods/a of a pod that is gone: EROFS; remove it manually if this persists',
    ]);
  });
});
