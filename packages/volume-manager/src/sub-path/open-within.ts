import type { DirectoryHandle, EntryHandle } from '@rxlet/node-files';

/** A path that leads out of a volume, or that changed while it was followed. */
export class SubPathError extends Error {
  override readonly name = 'SubPathError';
}

/** End of a path within a volume. */
export type PathEnd =
  | { readonly kind: 'found'; readonly entry: EntryHandle }
  /** Names that do not exist, below a directory that the caller closes; below the volume itself when there is none. */
  | { readonly kind: 'missing'; readonly above: DirectoryHandle | undefined; readonly names: readonly string[] };

/** As in the kernel. */
const MAX_LINKS = 40;
/** Limit of names on the way, those of links included: a container decides on them, and each may need a file descriptor. */
const MAX_NAMES = 4096;

/**
 * Opens the end of a path below a directory to which others may write. Each directory is opened from the one above without following links. Links are
 * followed by reading them, as long as they stay in the directory. So no change of the tree, whenever it happens, leads to an entry outside.
 *
 * @param volume open directory; it stays open
 * @param volumePath path of the directory without links, for links that are absolute paths
 */
export async function openWithin(volume: DirectoryHandle, volumePath: string, path: string): Promise<PathEnd> {
  const prefix = volumePath === '/' ? '' : volumePath;
  const opened: DirectoryHandle[] = [];
  const pending = path.split('/');
  let links = 0;
  let count = 0;
  const top = (): DirectoryHandle => opened.at(-1) ?? volume;
  const closeFrom = async (depth: number): Promise<void> => {
    for (const directory of opened.splice(depth).toReversed()) await directory[Symbol.asyncDispose]();
  };
  const escape = (): SubPathError => new SubPathError(`subpath ${path} is not within the volume ${volume.path}`);

  /** Puts the target of a link in the place of the link. */
  const follow = async (target: string): Promise<void> => {
    links += 1;
    if (links > MAX_LINKS) throw new SubPathError(`subpath ${path} has too many links`);
    if (!target.startsWith('/')) return void pending.unshift(...target.split('/'));
    if (target !== prefix && !target.startsWith(`${prefix}/`)) throw escape();
    await closeFrom(0);
    pending.unshift(...target.slice(prefix.length).split('/'));
  };

  const missing = (rest: readonly string[]): PathEnd => {
    const names = rest.filter((name) => name !== '' && name !== '.');
    if (names.includes('..')) throw escape();
    return { kind: 'missing', above: opened.pop(), names };
  };

  try {
    for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
      if (name === '' || name === '.') continue;
      count += 1;
      if (count > MAX_NAMES) throw new SubPathError(`subpath ${path} has too many names on the way`);
      if (name === '..') {
        if (opened.length === 0) throw escape();
        await closeFrom(opened.length - 1);
        continue;
      }
      const info = await top().stat(name);
      if (info === undefined) return missing([name, ...pending]);
      const isLast = pending.every((rest) => rest === '' || rest === '.');
      if (info.kind === 'symlink') await follow(await top().readLink(name));
      else if (isLast && info.kind !== 'directory') return { kind: 'found', entry: await openLast(top(), name, path) };
      else {
        const below = await top().openDirectory(name);
        if (below === undefined) return missing([name, ...pending]);
        opened.push(below);
      }
    }
    return { kind: 'found', entry: await openLast(top(), '.', path) };
  } finally {
    await closeFrom(0);
  }
}

async function openLast(directory: DirectoryHandle, name: string, path: string): Promise<EntryHandle> {
  const entry = await directory.openEntry(name);
  if (entry === undefined) throw new SubPathError(`subpath ${path} was removed while it was opened`);
  return entry;
}
