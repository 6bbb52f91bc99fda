import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryMounter } from './memory-mounter.ts';
import { MountError } from './mounter.ts';
import { supportsNoSwap } from './tmpfs-options.ts';

const INITIAL = '         0          0 4294967295\n';

async function probe(version: string, { uidMap = INITIAL, problem = '', fails = false } = {}) {
  const files = createMemoryFiles();
  files.putDirectory('/root');
  const mounter = createMemoryMounter(files);
  mounter.fault = (operation) => {
    if (fails && operation === 'mount') throw new MountError('mount failed: exit status 32');
  };
  const isSupported = await supportsNoSwap(
    {
      files: files.nodeFiles,
      mounter: { ...mounter, problem: () => problem || undefined },
      kernel: { version, uidMap },
    },
    '/root',
  );
  return { isSupported, mounter, left: await files.nodeFiles.list('/root') };
}

describe('supportsNoSwap', () => {
  it('knows kernels from 6.4 on', async () => {
    for (const version of ['6.4.0', '6.18.44-fc', '7.0.1']) {
      const { isSupported, mounter } = await probe(version, { fails: true });
      expect([isSupported, mounter.requests]).toEqual([true, []]);
    }
  });

  it('tries older kernels with a mount, and leaves nothing', async () => {
    const { isSupported, mounter, left } = await probe('5.14.0-427.el9');
    expect(isSupported).toBe(true);
    expect(mounter.requests).toMatchObject([{ source: 'tmpfs', fsType: 'tmpfs', options: ['noswap'] }]);
    expect([mounter.targets, left]).toEqual([[], []]);
    expect(await probe('6.1.0-18-amd64', { fails: true })).toMatchObject({ isSupported: false, left: [] });
  });

  it('tries nothing in a user namespace, or without rights to mount', async () => {
    const inNamespace = await probe('6.18.0', { uidMap: '0 100000 65536\n' });
    expect([inNamespace.isSupported, inNamespace.mounter.requests]).toEqual([false, []]);
    const withoutRights = await probe('5.14.0', { problem: 'not root' });
    expect([withoutRights.isSupported, withoutRights.mounter.requests]).toEqual([false, []]);
  });
});
