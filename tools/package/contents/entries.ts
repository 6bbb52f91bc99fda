import type { TarEntry } from '@rxlet/test-containerd/tar';

/** Adds missing parents, sorts by path and drops doubles, so that a directory comes before its entries. */
export function withDirectories(files: readonly TarEntry[]): TarEntry[] {
  const entries = new Map<string, TarEntry>();
  for (const file of files) {
    const parts = file.path.split('/');
    for (let length = 1; length < parts.length; length += 1) {
      const path = parts.slice(0, length).join('/');
      if (!entries.has(path)) entries.set(path, { type: 'directory', path });
    }
    entries.set(file.path, file);
  }
  return [...entries.values()].sort(({ path: a }, { path: b }) => (a < b ? -1 : 1));
}
