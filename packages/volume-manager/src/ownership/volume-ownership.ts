import type { VolumeGroup } from '@rxlet/agent-api/volumes';
import type { DirectoryHandle, FileInfo, FileKind } from '@rxlet/node-files';

const READ_WRITE = 0o660;
const READ_ONLY = 0o440;
const EXECUTE = 0o110;
const SET_GID = 0o2000;
/** Each level needs a file descriptor, and a container decides on the depth. */
const MAX_DEPTH = 512;

/** Progress of a change of ownership. */
export interface OwnershipProgress {
  /** Entries that were visited so far. */
  visited: number;
  /** First failure to change an entry. As in the kubelet it keeps neither the others nor the pod from going on: a file system may not support owners. */
  failure?: Error | undefined;
}

/**
 * Gives a volume to a group (kubelet: VolumeOwnership.ChangePermissions): every entry gets the group and its access, directories also the set-group-id bit, so
 * that new entries inherit the group. Links get the group, and are not followed. The root comes last, so that `OnRootMismatch` repeats a change that was
 * interrupted. Modes only grow.
 */
export async function setVolumeGroup(
  volume: DirectoryHandle,
  root: VolumeRoot,
  group: VolumeGroup,
  progress: OwnershipProgress = { visited: 0 },
  signal?: AbortSignal,
): Promise<void> {
  const rootInfo = await root.stat();
  if (group.changePolicy === 'OnRootMismatch' && !needsChange(rootInfo, group)) return;
  await changeEntries(volume, group, progress, signal, 0);
  await visit(progress, () => root.change(group.fsGroup, rootInfo.mode | groupMode(rootInfo, group.readOnly)));
}

/** The volume's own directory, which is changed through its parent. */
export interface VolumeRoot {
  stat(): Promise<FileInfo>;
  change(gid: number, mode: number): Promise<void>;
}

/** Returns the root of a volume as an entry of the directory that holds it. */
export function volumeRoot(parent: DirectoryHandle, name: string): VolumeRoot {
  return {
    async stat() {
      const info = await parent.stat(name);
      if (info === undefined) throw new Error(`the volume directory ${parent.path}/${name} does not exist`);
      return info;
    },
    async change(gid, mode) {
      await parent.chown(name, -1, gid);
      await parent.chmod(name, mode);
    },
  };
}

async function changeEntries(
  directory: DirectoryHandle,
  group: VolumeGroup,
  progress: OwnershipProgress,
  signal: AbortSignal | undefined,
  depth: number,
): Promise<void> {
  if (depth > MAX_DEPTH) {
    progress.failure ??= new Error(`${directory.path} is more than ${String(MAX_DEPTH)} directories deep`);
    return;
  }
  for (const name of await directory.list()) {
    signal?.throwIfAborted();
    const info = await directory.stat(name);
    // Removed by a container meanwhile.
    if (info === undefined) continue;
    if (info.kind === 'directory') {
      await using below = await directory.openDirectory(name);
      if (below !== undefined) await changeEntries(below, group, progress, signal, depth + 1);
    }
    await visit(progress, () => changeEntry(directory, name, info.kind, group));
  }
}

/** A container may put another entry in the place of this one: what is changed is what was looked at. */
async function changeEntry(
  directory: DirectoryHandle,
  name: string,
  kind: FileKind,
  group: VolumeGroup,
): Promise<void> {
  if (kind === 'symlink') return directory.chown(name, -1, group.fsGroup);
  await using entry = await directory.openEntry(name);
  if (entry === undefined) return;
  const info = await entry.stat();
  await entry.chown(-1, group.fsGroup);
  await entry.chmod(info.mode | groupMode(info, group.readOnly));
}

async function visit(progress: OwnershipProgress, change: () => Promise<void>): Promise<void> {
  progress.visited += 1;
  try {
    await change();
  } catch (error) {
    progress.failure ??= error instanceof Error ? error : new Error(String(error));
  }
}

function groupMode({ kind }: FileInfo, readOnly: boolean): number {
  return (readOnly ? READ_ONLY : READ_WRITE) | (kind === 'directory' ? SET_GID | EXECUTE : 0);
}

function needsChange(root: FileInfo, { fsGroup, readOnly }: VolumeGroup): boolean {
  const wanted = groupMode(root, readOnly);
  return root.gid !== fsGroup || root.kind !== 'directory' || (root.mode & wanted) !== wanted;
}
