import { describe, expect, it } from 'vitest';
import { nodeFilesContract } from '../node-files-contract.ts';
import { createMemoryFiles } from './memory-files.ts';

describe('files in memory', () => {
  it.each(Object.entries(nodeFilesContract))('%s', async (_name, check) => {
    const memory = createMemoryFiles({ roots: ['/root'] });
    memory.putDirectory('/root');
    await check({ ...memory, root: '/root', putPipe: (path) => memory.putSpecial(path, 'fifo') });
  });

  it('can be looked into', () => {
    const memory = createMemoryFiles({ files: { '/etc/hosts': 'localhost' } });
    memory.putLink('/etc/alias', 'hosts');
    expect(memory.text('/etc/alias')).toBe('localhost');
    expect(memory.paths()).toEqual(['/etc/alias -> hosts', '/etc/hosts']);
    expect(memory.info('/etc/alias')).toMatchObject({ kind: 'symlink' });
  });

  it('fail as a test demands', async () => {
    const memory = createMemoryFiles();
    memory.fault = (operation) => {
      if (operation === 'replaceFile') throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    };
    await expect(memory.nodeFiles.replaceFile('/a', 'x', 0o600)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(memory.paths()).toEqual([]);
    memory.fault = undefined;
    await memory.nodeFiles.replaceFile('/a', 'x', 0o600);
    expect(memory.text('/a')).toBe('x');
  });

  it('hide what is below a mount, and remove nothing through it', async () => {
    const memory = createMemoryFiles({ files: { '/data/file': 'a', '/pods/volume/hidden': 'b' } });
    memory.mount('/pods/volume', '/data');
    expect(memory.text('/pods/volume/file')).toBe('a');
    await expect(memory.nodeFiles.removeTree('/pods')).rejects.toMatchObject({ reason: 'MountPoint' });
    expect(memory.text('/data/file')).toBe('a');
    memory.unmount('/pods/volume');
    expect(memory.text('/pods/volume/hidden')).toBe('b');
    expect(() => memory.unmount('/pods/volume')).toThrow('nothing is mounted');
    memory.mount('/pods/volume');
    expect(await memory.nodeFiles.removeEmptyDirectory('/pods/volume')).toBe(false);
  });

  it('report changes of both ports until the watch is disposed of', async () => {
    const memory = createMemoryFiles({ files: { '/pods/web.yaml': 'a' } });
    const changes: (string | undefined)[] = [];
    const watch = memory.hostFiles.watch('/pods', { onChange: ({ name }) => changes.push(name) });
    memory.put('/pods/web.yaml', 'b');
    memory.put('/pods/db.yaml', 'c');
    memory.remove('/pods/web.yaml');
    await memory.nodeFiles.replaceFile('/pods/db.yaml', 'd', 0o600);
    memory.put('/elsewhere/file', '');
    memory.unseen(() => memory.put('/pods/unseen.yaml', ''));
    expect(memory.openWatches).toBe(1);
    watch[Symbol.dispose]();
    memory.remove('/pods/db.yaml');
    expect(changes).toEqual(['web.yaml', 'db.yaml', 'web.yaml', 'db.yaml']);
    expect(memory.openWatches).toBe(0);
  });

  it('keep a watch on the directory that was watched, not on the one that takes its place', () => {
    const memory = createMemoryFiles({ files: { '/pods/web.yaml': 'a' } });
    const changes: (string | undefined)[] = [];
    using _watch = memory.hostFiles.watch('/pods', { onChange: ({ name }) => changes.push(name) });
    memory.remove('/pods');
    memory.putDirectory('/pods');
    memory.put('/pods/web.yaml', 'a');
    expect(changes).toEqual(['pods', 'pods']);
  });

  it('end their watches with an error', () => {
    const memory = createMemoryFiles({ files: { '/pods/web.yaml': 'a' } });
    const ends: Error[] = [];
    memory.hostFiles.watch('/pods', { onChange: () => undefined, onEnd: (error) => ends.push(error) });
    memory.endWatches(new Error('no space'));
    memory.endWatches(new Error('again'));
    expect(ends).toEqual([new Error('no space')]);
    expect(memory.openWatches).toBe(0);
  });
});
