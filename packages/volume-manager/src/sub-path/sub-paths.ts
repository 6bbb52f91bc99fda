import type { SubPathRequest } from '@rxlet/agent-api/volumes';
import { type DirectoryHandle, type HostFiles, type NodeFiles, systemErrorCode, pathElement } from '@rxlet/node-files';
import type { Mounter } from '../mount/mounter.ts';
import type { VolumeMounts } from '../mount/volume-mounts.ts';
import type { VolumePaths } from '../volume-paths.ts';
import { openWithin, SubPathError } from './open-within.ts';

/** Ports of {@link createSubPaths}. */
export interface SubPathsPorts {
  readonly files: NodeFiles;
  readonly hostFiles: Pick<HostFiles, 'openDirectory'>;
  readonly mounter: Mounter;
  readonly mounts: VolumeMounts;
  readonly paths: VolumePaths;
  /** Returns a path without links. */
  realPath(path: string): Promise<string>;
}

/** Sub paths of volumes, as containers mount them (kubelet: subpath.Interface). */
export interface SubPaths {
  /** See `PodVolumes.makeSubPath`. */
  make(volumePath: string, subPath: string, mode: number): Promise<void>;
  /** See `PodVolumes.prepareSubPath`. */
  prepare(request: SubPathRequest, signal?: AbortSignal): Promise<string>;
  /** Unmounts and removes the prepared sub paths of a volume. */
  clean(podUid: string, innerVolumeSpecName: string, signal?: AbortSignal): Promise<void>;
}

const PARENT_MODE = 0o750;
const FILE_MODE = 0o640;
const PERMISSIONS = 0o777;
/** Set-user-id, set-group-id and sticky bits. */
const SPECIAL_BITS = 0o7000;

/** Creates {@link SubPaths}. */
export function createSubPaths({ files, hostFiles, mounter, mounts, paths, realPath }: SubPathsPorts): SubPaths {
  const openVolume = async (path: string): Promise<DirectoryHandle> => {
    const volume = await hostFiles.openDirectory(path);
    if (volume === undefined) throw new SubPathError(`the volume ${path} is not a directory`);
    return volume;
  };

  const prepare = async (request: SubPathRequest, signal?: AbortSignal): Promise<string> => {
    const { volumePath, subPath } = request;
    await using volume = await openVolume(volumePath);
    const end = await openWithin(volume, await realPath(volumePath), subPath);
    if (end.kind === 'missing') {
      await end.above?.[Symbol.asyncDispose]();
      throw new SubPathError(`error opening subpath ${volumePath}/${subPath}: no such file or directory`);
    }
    await using entry = end.entry;
    const { identity, kind } = await entry.stat();
    const target = targetOf(paths, request);
    if ((await mounts.at(target)) !== undefined) {
      if ((await files.stat(target))?.identity === identity) return target;
      await mounts.unmountAll(target, {}, signal);
    }
    await makeTarget(files, target, kind === 'directory');
    await mounter.mount({ source: entry, target, options: ['bind'] }, signal);
    if ((await files.stat(target))?.identity === identity) return target;
    await mounts.unmountAll(target, {}, signal);
    throw new SubPathError(`error mounting ${volumePath}/${subPath}: the mount shows another file`);
  };

  return {
    async make(volumePath, subPath, mode) {
      await using volume = await openVolume(volumePath);
      const end = await openWithin(volume, await realPath(volumePath), subPath);
      if (end.kind === 'missing') {
        await using above = end.above;
        // New files get the group of the volume, as in directories that a container creates itself.
        await using itself = await volume.openEntry('.');
        const special = (await itself!.stat()).mode & SPECIAL_BITS;
        await makeBelow(above ?? volume, end.names, (mode & PERMISSIONS) | special);
        return;
      }
      await using entry = end.entry;
      if ((await entry.stat()).kind !== 'directory')
        throw new SubPathError(`cannot create the directory ${volumePath}/${subPath}: not a directory`);
    },
    async prepare(request, signal) {
      try {
        return await prepare(request, signal);
      } catch (error) {
        // An unused target only, never one that is mounted.
        await removeTarget(files, targetOf(paths, request)).catch(() => undefined);
        throw error;
      }
    },
    async clean(podUid, innerVolumeSpecName, signal) {
      const directory = `${paths.subPaths(podUid)}/${pathElement(innerVolumeSpecName)}`;
      if ((await files.stat(directory)) === undefined) return;
      await mounts.unmountAll(directory, {}, signal);
      for (const container of await files.list(directory)) {
        for (const index of await files.list(`${directory}/${container}`))
          await removeTarget(files, `${directory}/${container}/${index}`);
        await files.removeEmptyDirectory(`${directory}/${container}`);
      }
      if (!(await files.removeEmptyDirectory(directory)))
        throw new Error(`cannot remove the sub paths ${directory}: not empty`);
      await files.removeEmptyDirectory(paths.subPaths(podUid));
    },
  };
}

function targetOf(paths: VolumePaths, request: SubPathRequest): string {
  const { podUid, innerVolumeSpecName, containerName, mountIndex } = request;
  const names = [innerVolumeSpecName, containerName, String(mountIndex)].map(pathElement);
  return `${paths.subPaths(podUid)}/${names.join('/')}`;
}

/** Creates what the sub path is mounted on. A file can hide an entry of any kind but a directory. */
async function makeTarget(files: NodeFiles, target: string, isDirectory: boolean): Promise<void> {
  const existing = await files.stat(target);
  if (existing !== undefined && (existing.kind === 'directory') !== isDirectory) await removeTarget(files, target);
  await files.makeDirectory(target.slice(0, target.lastIndexOf('/')), PARENT_MODE);
  if (isDirectory) await files.makeDirectory(target, PARENT_MODE);
  else await files.writeFile(target, '', FILE_MODE);
}

async function removeTarget(files: NodeFiles, target: string): Promise<void> {
  const info = await files.stat(target);
  if (info?.kind === 'directory') await files.removeEmptyDirectory(target);
  else if (info !== undefined) await files.removeFile(target);
}

/** Creates directories one in the other, each opened from the one above. */
async function makeBelow(
  above: DirectoryHandle,
  [name = '', ...below]: readonly string[],
  mode: number,
): Promise<void> {
  try {
    await above.makeDirectory(name, mode);
  } catch (error) {
    // Made by a container, or for another container of the pod, meanwhile.
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
  await using next = await above.openDirectory(name);
  if (next === undefined) throw new SubPathError(`${above.path}/${name} was removed while it was created`);
  if (below.length > 0) await makeBelow(next, below, mode);
}
