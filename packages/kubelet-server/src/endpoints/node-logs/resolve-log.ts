import {
  type DirectoryHandle,
  type OpenFile,
  systemErrorCode,
  UnsafeFileError,
  UnsafePathError,
} from '@rxlet/node-files';

/** A place below the log directory. The directory belongs to the caller. */
export type LogPlace =
  | { readonly kind: 'directory'; readonly directory: DirectoryHandle }
  | { readonly kind: 'file'; readonly directory: DirectoryHandle; readonly name: string };

/** Why a path leads to no place, in the words of Go's errors. */
export type LogFault =
  | 'file name too long'
  | 'invalid argument'
  | 'no such file or directory'
  | 'not a directory'
  | 'not a regular file'
  | 'path escapes from parent'
  | 'permission denied'
  | 'too many levels of symbolic links';

/** Result of {@link resolveLog}. */
export type LogResolution = LogPlace | { readonly kind: 'fault'; readonly fault: LogFault };

/** Links on the way to one file. */
const MAX_LINKS = 40;

const FAULTS_OF_CODES: Readonly<Record<string, LogFault>> = {
  EACCES: 'permission denied',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  EPERM: 'permission denied',
};

/**
 * Resolves a path below `root`, component by component. Links are followed as long as they lead to a place below the root: pods can write to parts of the log
 * directory, and a link of theirs must not lead to the files of the node.
 */
export async function resolveLog(root: DirectoryHandle, path: string): Promise<LogResolution> {
  if (path.includes('\0')) return faultOf('invalid argument');
  const pending = path.split('/');
  const trail: string[] = [];
  try {
    for (let links = 0; pending.length > 0;) {
      const name = pending.shift()!;
      if (name === '' || name === '.') continue;
      if (name === '..') {
        if (trail.pop() === undefined) return faultOf('path escapes from parent');
        continue;
      }
      await using parent = await openTrail(root, trail);
      const info = await parent?.stat(name);
      if (parent === undefined || info === undefined) return faultOf('no such file or directory');
      if (info.kind === 'symlink') {
        links += 1;
        if (links > MAX_LINKS) return faultOf('too many levels of symbolic links');
        const target = relativeTarget(root.path, await parent.readLink(name));
        if (target === undefined) return faultOf('path escapes from parent');
        if (target.isAbsolute) trail.length = 0;
        pending.unshift(...target.segments);
      } else if (info.kind === 'directory') trail.push(name);
      else if (pending.length === 0) return await filePlace(root, trail, name);
      else return faultOf('not a directory');
    }
    const directory = await openTrail(root, trail);
    return directory === undefined ? faultOf('no such file or directory') : { kind: 'directory', directory };
  } catch (error) {
    const fault = logFaultOf(error);
    if (fault === undefined) throw error;
    return faultOf(fault);
  }
}

/** Returns the fault behind an error of the file system; `undefined` for one that is none of the path. */
function logFaultOf(error: unknown): LogFault | undefined {
  // A directory on the way that is a link by now was replaced while it was resolved.
  if (error instanceof UnsafePathError) return 'no such file or directory';
  return FAULTS_OF_CODES[systemErrorCode(error) ?? ''];
}

function faultOf(fault: LogFault): LogResolution {
  return { kind: 'fault', fault };
}

async function filePlace(root: DirectoryHandle, trail: readonly string[], name: string): Promise<LogResolution> {
  const directory = await openTrail(root, trail);
  return directory === undefined ? faultOf('no such file or directory') : { kind: 'file', directory, name };
}

/** Opens the directory at the end of a trail of directories, none of which may be a link by now. */
async function openTrail(root: DirectoryHandle, trail: readonly string[]): Promise<DirectoryHandle | undefined> {
  let current = reopen(root);
  for (const name of trail) {
    await using parent = current;
    const next = await parent.openDirectory(name);
    if (next === undefined) return undefined;
    current = next;
  }
  return current;
}

/** A view of the root that may be disposed of without closing it. */
function reopen(root: DirectoryHandle): DirectoryHandle {
  return { ...root, [Symbol.asyncDispose]: () => Promise.resolve() };
}

function relativeTarget(
  rootPath: string,
  target: string,
): { readonly isAbsolute: boolean; readonly segments: readonly string[] } | undefined {
  if (!target.startsWith('/')) return { isAbsolute: false, segments: target.split('/') };
  const root = rootPath.replace(/\/+$/, '');
  if (target !== root && !target.startsWith(`${root}/`)) return undefined;
  return { isAbsolute: true, segments: target.slice(root.length).split('/') };
}

/** Opens the file at a place. The file belongs to the caller. */
export async function openLog({ directory, name }: LogPlace & { readonly kind: 'file' }): Promise<OpenFile | LogFault> {
  try {
    return (await directory.openFile(name)) ?? 'no such file or directory';
  } catch (error) {
    if (error instanceof UnsafeFileError) return 'not a regular file';
    const fault = logFaultOf(error);
    if (fault === undefined) throw error;
    return fault;
  }
}
