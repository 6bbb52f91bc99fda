import { type DirectoryHandle, systemErrorCode } from '@rxlet/node-files';
import type { Payload } from '../payload/payload.ts';

/** Link to the directory of the current version. */
export const DATA_LINK = '..data';

/** Returns the name of the directory that holds the current version of a volume's files; `undefined` when there is none. */
export async function currentVersion(volume: DirectoryHandle): Promise<string | undefined> {
  try {
    const target = await volume.readLink(DATA_LINK);
    // Anything but a name was not written by a kubelet, and must not lead the removal of the previous version elsewhere.
    return target === '' || target === '.' || target === '..' || target.includes('/') ? undefined : target;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Differences of a version on disk from a payload. */
export interface VersionDifference {
  /** Content differs, or files are missing. Modes and owners do not count. */
  readonly isChanged: boolean;
  /** Paths of files and directories that the payload does not have. */
  readonly surplus: readonly string[];
}

/** Compares a version with a payload. A version that does not exist has no surplus. Rejects when a file of the payload is no file on disk, or the other way round. */
export async function compareVersion(
  volume: DirectoryHandle,
  version: string,
  payload: Payload,
): Promise<VersionDifference> {
  await using directory = await volume.openDirectory(version);
  if (directory === undefined) return { isChanged: payload.size > 0, surplus: [] };
  const wanted = new Set([...payload.keys()].flatMap(withParents));
  const found = new Set<string>();
  await collectPaths(directory, '', found);
  let conflict: Error | undefined;
  let isChanged = false;
  for (const [path, { content }] of payload) {
    const compared = await compareFile(directory, path.split('/'), content);
    if (compared instanceof Error) conflict ??= compared;
    else isChanged ||= compared === 'changed';
  }
  if (!isChanged && conflict !== undefined) throw conflict;
  return { isChanged, surplus: [...found].filter((path) => !wanted.has(path)) };
}

function withParents(path: string): readonly string[] {
  const names = path.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

async function collectPaths(directory: DirectoryHandle, prefix: string, found: Set<string>): Promise<void> {
  for (const name of await directory.list()) {
    found.add(prefix + name);
    if ((await directory.stat(name))?.kind !== 'directory') continue;
    await using below = await directory.openDirectory(name);
    if (below !== undefined) await collectPaths(below, `${prefix}${name}/`, found);
  }
}

async function compareFile(
  directory: DirectoryHandle,
  [name = '', ...below]: readonly string[],
  content: Uint8Array,
): Promise<'changed' | 'same' | Error> {
  if ((await directory.stat(name)) === undefined) return 'changed';
  try {
    if (below.length > 0) {
      await using next = await directory.openDirectory(name);
      return next === undefined ? 'changed' : await compareFile(next, below, content);
    }
    await using file = await directory.openFile(name);
    if (file === undefined) return 'changed';
    // One byte more shows a longer file.
    const bytes = await file.read(0, content.length + 1);
    return Buffer.compare(bytes, content) === 0 ? 'same' : 'changed';
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
