import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { readBelow } from './read-below.ts';

async function read(links: Record<string, string>, path: string, maxBytes = 100): Promise<string> {
  const files = createMemoryFiles({
    files: {
      '/vol/env': 'of the volume',
      '/vol/dir/env': 'below',
      '/etc/env': 'of the node',
      '/vol/etc/env': 'inside',
    },
  });
  for (const [link, target] of Object.entries(links)) files.putLink(link, target);
  const directory = await files.hostFiles.openDirectory('/vol');
  try {
    const file = await readBelow(directory!, path, maxBytes);
    return `${file.path}: ${new TextDecoder().decode(file.bytes)}`;
  } finally {
    expect(files.openHandles).toBe(0);
  }
}

describe('readBelow', () => {
  it.each([
    [{}, 'env', 'env: of the volume'],
    [{}, '/./dir//env', 'dir/env: below'],
    [{}, '../../etc/../env', 'env: of the volume'],
    [{ '/vol/link': '/etc/env' }, 'link', 'etc/env: inside'],
    [{ '/vol/link': '../../etc/env' }, 'link', 'etc/env: inside'],
    [{ '/vol/up': '..', '/vol/dir/up': '../..' }, 'dir/up/up/env', 'env: of the volume'],
    [{ '/vol/dir/link': '../env' }, 'dir/link', 'env: of the volume'],
    [{ '/vol/..data': '..2026', '/vol/..2026/env': '/dir/env', '/vol/file': '..data/env' }, 'file', 'dir/env: below'],
  ])('resolves links of %o within the directory: %s', async (links, path, content) => {
    expect(await read(links as Record<string, string>, path)).toBe(content);
  });

  it.each([
    [{}, 'none', 100, 'none: no such file'],
    [{}, 'dir', 100, 'is not a regular file'],
    [{}, '..', 100, '.. is a directory'],
    [{ '/vol/a': 'b', '/vol/b': 'a' }, 'a', 100, 'too many links'],
    [{}, 'env', 3, 'has more than 3 bytes'],
  ])('rejects with links %o: %s', async (links, path, maxBytes, message) => {
    await expect(read(links as Record<string, string>, path, maxBytes)).rejects.toThrow(message);
  });

  it('rejects links by which a container multiplies the directories on the way', async () => {
    const long = 'd/'.repeat(1_900);
    const files = createMemoryFiles({ files: { [`/vol/${long}file`]: 'x' } });
    for (let index = 0; index < 200; index += 1)
      files.putLink(`/vol/${long}link${String(index)}`, `/${long}link${String(index + 1)}`);
    let most = 0;
    files.fault = () => void (most = Math.max(most, files.openHandles));
    const directory = await files.hostFiles.openDirectory('/vol');
    await expect(readBelow(directory!, `${long}link0`, 100)).rejects.toThrow('too many names on the way');
    expect([most < 2_500, files.openHandles]).toEqual([true, 0]);
  });
});
