import type { VolumeGroup, VolumeGroupChange } from '@rxlet/agent-api/volumes';
import { errorMessage } from '@rxlet/component-base';
import { reportSlowChange } from '../ownership/report-slow-change.ts';
import { type OwnershipProgress, setVolumeGroup, volumeRoot } from '../ownership/volume-ownership.ts';
import type { PluginContext } from './plugin-context.ts';

export const EMPTY_DIR_PLUGIN = 'kubernetes.io/empty-dir';
const PARENT_MODE = 0o750;
const VOLUME_MODE = 0o777;
const READY_FILE = 'ready';

/** An empty directory of a pod, on disk or as a file system of its own. */
export interface EmptyDirectory {
  readonly podUid: string;
  /** Name in the records of the plugin: that of the volume, with a prefix for a volume whose files come from the API. */
  readonly name: string;
  readonly path: string;
  /** File system that is mounted on the directory; none for a directory on disk. Called only when it is not mounted yet. */
  readonly fileSystem?: (() => MemoryFileSystem) | undefined;
  readonly group?: VolumeGroup | undefined;
}

/** A file system in memory. */
export interface MemoryFileSystem {
  readonly source: string;
  readonly fsType: 'tmpfs' | 'hugetlbfs';
  readonly options: readonly string[];
}

/**
 * Creates an empty directory that every user may write to. A directory that was ready before, also before a restart of the agent, keeps its content: the file
 * `ready` records that.
 */
export async function setUpEmptyDirectory(
  context: PluginContext,
  directory: EmptyDirectory,
  signal: AbortSignal,
): Promise<void> {
  const { files, mounter, mounts } = context;
  const { path, fileSystem } = directory;
  const isMounted = fileSystem !== undefined && (await mounts.at(path)) !== undefined;
  if (await isReady(context, directory)) {
    if (fileSystem === undefined ? (await files.stat(path))?.kind === 'directory' : isMounted) return;
  }
  if (!isMounted) await makeVolumeDirectory(context, path);
  if (fileSystem !== undefined && !isMounted) await mounter.mount({ target: path, ...fileSystem() }, signal);
  if (directory.group !== undefined) await giveToGroup(context, path, directory.group, { signal });
  await files.makeDirectory(dataDirectory(context, directory), PARENT_MODE);
  await files.writeFile(`${dataDirectory(context, directory)}/${READY_FILE}`, '', 0o644);
}

/** Unmounts and removes an empty directory and its record. What is mounted there is unmounted, never emptied. */
export async function tearDownEmptyDirectory(
  context: PluginContext,
  directory: Pick<EmptyDirectory, 'podUid' | 'name' | 'path'>,
  signal?: AbortSignal,
): Promise<void> {
  // Before the content, so that a directory that was removed in part is never taken for a ready one.
  await context.files.removeTree(dataDirectory(context, directory));
  await context.mounts.remove(directory.path, signal);
}

/** Creates the directory of a volume, with this mode even if it existed. */
async function makeVolumeDirectory({ files }: PluginContext, path: string): Promise<void> {
  await files.makeDirectory(path.slice(0, path.lastIndexOf('/')), PARENT_MODE);
  const isNew = !(await files.exists(path));
  await files.makeDirectory(path, VOLUME_MODE);
  if (isNew) return;
  const info = await files.stat(path);
  if (info?.kind !== 'directory') throw new Error(`${path} is not a directory`);
  if (info.mode !== VOLUME_MODE) await files.chmod(path, VOLUME_MODE);
}

/** Gives a volume to the pod's group. As in the kubelet, entries that cannot be changed are logged only. */
export async function giveToGroup(
  { files, logger, clock, events }: PluginContext,
  path: string,
  group: VolumeGroup,
  { pod, signal }: VolumeGroupChange = {},
): Promise<void> {
  const slash = path.lastIndexOf('/');
  await using parent = await files.openDirectory(path.slice(0, slash));
  await using volume = await parent?.openDirectory(path.slice(slash + 1));
  if (parent === undefined || volume === undefined) throw new Error(`there is no ${path}`);
  const progress: OwnershipProgress = { visited: 0 };
  using _reports = pod && reportSlowChange({ clock, events }, pod, path, progress);
  await setVolumeGroup(volume, volumeRoot(parent, path.slice(slash + 1)), group, progress, signal);
  if (progress.failure !== undefined)
    logger.warn('cannot change the group of all files of a volume', { path, error: errorMessage(progress.failure) });
}

async function isReady(context: PluginContext, directory: EmptyDirectory): Promise<boolean> {
  const ready = `${dataDirectory(context, directory)}/${READY_FILE}`;
  return (await context.files.exists(ready)) && (await context.files.stat(ready))?.kind === 'file';
}

function dataDirectory({ paths }: PluginContext, { podUid, name }: Pick<EmptyDirectory, 'podUid' | 'name'>): string {
  return paths.pluginData(podUid, EMPTY_DIR_PLUGIN, name);
}
