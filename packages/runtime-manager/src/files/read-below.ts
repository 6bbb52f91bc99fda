import type { DirectoryHandle } from '@rxlet/node-files';

/** Limit of links on the way, as in the kernel's resolution of a path within a root. */
const MAX_LINKS = 255;
/** Limit of names on the way, those of links included: a container decides on them, and each may need a file descriptor. */
const MAX_NAMES = 4096;
const CHUNK_BYTES = 64 * 1024;

/** A file that was read below a directory. */
export interface FileBelow {
  /** Path with links resolved, within the directory. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads a file below a directory that containers may write to. The path and links in it are resolved as if the directory were the root of the file system: each
 * step acts on an open handle, so that no change at the same moment leads out.
 *
 * @param root closed by this call
 */
export async function readBelow(root: DirectoryHandle, path: string, maxBytes: number): Promise<FileBelow> {
  await using _root = root;
  const above: { readonly name: string; readonly handle: DirectoryHandle }[] = [];
  const closeFrom = async (depth: number): Promise<void> => {
    for (const { handle } of above.splice(depth).toReversed()) await handle[Symbol.asyncDispose]();
  };
  let names = componentsOf(path);
  let links = 0;
  let count = 0;
  try {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      count += 1;
      if (count > MAX_NAMES) throw new Error(`${path}: too many names on the way`);
      if (name === '..') {
        await closeFrom(Math.max(above.length - 1, 0));
        continue;
      }
      const directory = above.at(-1)?.handle ?? root;
      const reached = [...above.map((step) => step.name), name].join('/');
      const info = await directory.stat(name);
      if (info === undefined) throw new Error(`${reached}: no such file`);
      if (info.kind === 'symlink') {
        links += 1;
        if (links > MAX_LINKS) throw new Error(`${path}: too many links`);
        const target = await directory.readLink(name);
        if (target.startsWith('/')) await closeFrom(0);
        names = [...componentsOf(target), ...names];
      } else if (names.length === 0) {
        await using file = await directory.openFile(name);
        if (file === undefined) throw new Error(`${reached}: no such file`);
        return { path: reached, bytes: await readAll(file, reached, maxBytes) };
      } else {
        const handle = await directory.openDirectory(name);
        if (handle === undefined) throw new Error(`${reached}: no such directory`);
        above.push({ name, handle });
      }
    }
    throw new Error(`${path} is a directory`);
  } finally {
    await closeFrom(0);
  }
}

function componentsOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

async function readAll(
  file: { read(offset: number, length: number): Promise<Uint8Array> },
  path: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const chunk = await file.read(size, CHUNK_BYTES);
    if (chunk.length === 0) return Buffer.concat(chunks, size);
    size += chunk.length;
    if (size > maxBytes) throw new Error(`${path} has more than ${String(maxBytes)} bytes`);
    chunks.push(chunk);
  }
}
