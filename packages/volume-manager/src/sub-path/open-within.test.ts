import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { openWithin } from './open-within.ts';

async function follow(path: string): Promise<string> {
  const files = createMemoryFiles({ files: { '/vol/dir/file': 'x', '/etc/passwd': 'root' } });
  files.putLink('/vol/up', '..');
  files.putLink('/vol/out', '/etc');
  files.putLink('/vol/dir/sibling', './../dir/file');
  files.putLink('/vol/absolute', '/vol/dir');
  files.putLink('/vol/almost', '/volume/dir');
  files.putLink('/vol/dangling', 'nothing/here');
  files.putLink('/vol/circle', 'circle');
  files.putSpecial('/vol/dir/socket', 'socket');
  await using volume = await files.hostFiles.openDirectory('/vol');
  const before = files.openHandles;
  try {
    const end = await openWithin(volume!, '/vol', path);
    if (end.kind === 'missing') {
      await using above = end.above;
      return `missing ${end.names.join('/')} in ${above?.path ?? volume!.path}`;
    }
    await using entry = end.entry;
    return `${(await entry.stat()).kind} ${entry.path}`;
  } finally {
    expect(files.openHandles).toBe(before);
  }
}

describe('openWithin', () => {
  it.each([
    ['dir', 'directory /vol/dir'],
    ['.', 'directory /vol'],
    ['', 'directory /vol'],
    ['dir/..', 'directory /vol'],
    ['dir//./file', 'file /vol/dir/file'],
    ['dir/file/.', 'file /vol/dir/file'],
    ['dir/socket', 'socket /vol/dir/socket'],
    ['dir/sibling', 'file /vol/dir/file'],
    ['absolute/file', 'file /vol/dir/file'],
    ['absolute/../dir', 'directory /vol/dir'],
    ['dir/new/below', 'missing new/below in /vol/dir'],
    ['new', 'missing new in /vol'],
    ['dangling', 'missing nothing/here in /vol'],
  ])('finds the end of %j', async (path, end) => {
    expect(await follow(path)).toBe(end);
  });

  it.each(['..', 'dir/../..', 'up', 'up/vol/dir', 'out', 'out/passwd', 'almost', 'new/../..', 'dir/new/../../..'])(
    'rejects %j, which leads out',
    async (path) => {
      await expect(follow(path)).rejects.toThrow(`subpath ${path} is not within the volume /vol`);
    },
  );

  it('rejects circles and files in the place of directories', async () => {
    await expect(follow('circle')).rejects.toThrow('too many links');
    await expect(follow('dir/file/below')).rejects.toMatchObject({ reason: 'NotADirectory' });
  });

  it('follows absolute links in the root directory of the node', async () => {
    const files = createMemoryFiles({ files: { '/run/file': 'x' } });
    files.putLink('/var/run', '/run');
    files.putLink('/var/root', '/');
    await using root = await files.hostFiles.openDirectory('/');
    for (const path of ['var/run/file', 'var/root/run/file']) {
      const end = await openWithin(root!, '/', path);
      if (end.kind === 'missing') throw new Error(`${path} was not found`);
      await using entry = end.entry;
      expect(entry.path).toBe('/run/file');
    }
    await expect(openWithin(root!, '/', 'var/root/..')).rejects.toThrow('is not within the volume /');
  });

  it('rejects links by which a container multiplies the directories on the way', async () => {
    const files = createMemoryFiles({ files: { [`/vol${'/d'.repeat(2_000)}/file`]: 'x' } });
    const long = 'd/'.repeat(1_900);
    for (let index = 0; index < 30; index += 1)
      files.putLink(`/vol${'/d'.repeat(1_900)}/link${String(index)}`, `/vol/${long}link${String(index + 1)}`);
    await using volume = await files.hostFiles.openDirectory('/vol');
    const before = files.openHandles;
    await expect(openWithin(volume!, '/vol', `${long}link0`)).rejects.toThrow('too many names on the way');
    expect(files.openHandles).toBe(before);
  });
});
