import { FileError, type FileSystem } from './file-system.ts';
import type { MountedHostFiles } from './host-files.ts';

/** A file system mounted in another. */
export interface MountPoint {
  readonly path: string;
  readonly readonly: boolean;
  /** Whether `readonly` also applies to what is mounted below `path` on the host. */
  readonly recursiveReadOnly?: boolean;
  readonly files: FileSystem | MountedHostFiles;
}

/**
 * Mounts file systems in `root`. The innermost of nested mounts counts, the first of those with the same path; mount points appear in their directories. Nothing below
 * `readonlyPaths` can be changed, except in a mount below them.
 */
export function createMountedFiles(
  root: FileSystem,
  mounts: readonly MountPoint[],
  readonlyPaths: readonly string[] = [],
): FileSystem {
  const innermostFirst = mounts.toSorted((a, b) => b.path.length - a.path.length);

  const find = (path: string): { files: FileSystem; inner: string; mount: MountPoint | undefined } => {
    const mount = innermostFirst.find((each) => path === each.path || path.startsWith(`${each.path}/`));
    if (mount === undefined) return { files: root, inner: path, mount };
    return { files: mount.files, inner: path.slice(mount.path.length) || '/', mount };
  };
  const findWritable = (path: string): ReturnType<typeof find> => {
    const found = find(path);
    const { mount, inner } = found;
    const mountPath = mount?.path ?? '';
    const isReadonlyPath = readonlyPaths.some(
      (each) => each.length >= mountPath.length && (path === each || path.startsWith(each === '/' ? '/' : `${each}/`)),
    );
    if (isReadonlyPath || (mount !== undefined && isReadonly(mount, inner))) throw new FileError('EROFS');
    return found;
  };
  /** Returns the names of mount points, and of the directories that lead to them, in `path`. */
  const mountNames = (path: string): string[] => {
    const prefix = path === '/' ? '/' : `${path}/`;
    return mounts
      .filter((mount) => mount.path.startsWith(prefix))
      .map((mount) => mount.path.slice(prefix.length).split('/')[0]!);
  };

  return {
    kind(path) {
      const { files, inner } = find(path);
      return files.kind(inner) ?? (mountNames(path).length > 0 ? 'directory' : undefined);
    },
    read(path) {
      const { files, inner } = find(path);
      return files.read(inner);
    },
    write(path, content, append) {
      const { files, inner } = findWritable(path);
      files.write(inner, content, append);
    },
    list(path) {
      const { files, inner } = find(path);
      const mounted = mountNames(path);
      if (mounted.length > 0 && files.kind(inner) === undefined) return [...new Set(mounted)].sort();
      return [...new Set([...files.list(inner), ...mounted])].sort();
    },
    makeDirectory(path) {
      if (mountNames(path).length > 0 || mounts.some((mount) => mount.path === path)) throw new FileError('EEXIST');
      const { files, inner } = findWritable(path);
      files.makeDirectory(inner);
    },
    remove(path) {
      if (mountNames(path).length > 0 || mounts.some((mount) => mount.path === path)) throw new FileError('EBUSY');
      const { files, inner } = findWritable(path);
      files.remove(inner);
    },
  };
}

/** Reports whether a file of a mount is read-only: with a plain read-only mount, what is mounted below it is not. */
function isReadonly({ readonly, recursiveReadOnly, files }: MountPoint, path: string): boolean {
  if (!readonly || recursiveReadOnly === true) return readonly;
  return !('isOnSubmount' in files && files.isOnSubmount?.(path) === true);
}
