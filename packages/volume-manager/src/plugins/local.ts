import { podUid } from '@rxlet/pod-model';
import { giveToGroup } from './empty-directory.ts';
import { createLocalDisks, LOCAL_PLUGIN } from './local-disks.ts';
import type { PluginContext } from './plugin-context.ts';
import { createTurns } from './turns.ts';
import type { VolumePlugin } from '@rxlet/agent-api/volumes';

/** Throws the kubelet's message for a path that no volume may have. */
export function checkLocalPath(volumeName: string, path: string): void {
  if (path === '') throw new Error(`LocalVolume volume "${volumeName}" path is empty`);
  if (path.split('/').includes('..')) throw new Error(`invalid path: ${path} must not contain '..'`);
}

/** Type of the file system that a disk gets without another one in its definition. */
const DEFAULT_FS_TYPE = 'ext4';

/** Creates the plugin of local persistent volumes: a directory of the node, or the file system of a disk, bound for each pod. */
export function localPlugin(context: PluginContext): VolumePlugin {
  const { files, hostFiles, mounter, mounts, paths, clock, groupChanges, realPath } = context;
  const turns = createTurns(clock);
  const disks = createLocalDisks(context);
  /** Paths that may be mounted although their volume is not ready: its change runs, or has failed. */
  const unfinished = new Set<string>();
  const tearDown = async (uid: string, name: string, signal?: AbortSignal): Promise<void> => {
    const path = paths.volume(uid, LOCAL_PLUGIN, name);
    await mounts.unmountAll(path, {}, signal);
    unfinished.delete(path);
    const removeDirectory = async (): Promise<void> => {
      if (!(await files.removeEmptyDirectory(path))) throw new Error(`cannot remove ${path}: it is not empty`);
    };
    await disks.release(uid, name, removeDirectory, signal);
  };
  return {
    name: LOCAL_PLUGIN,
    field: 'local',
    mode: 'Filesystem',
    refreshes: false,
    volume({ name, local, persistent }, pod) {
      const uid = podUid(pod);
      const path = paths.volume(uid, LOCAL_PLUGIN, name);
      const localPath = local?.path ?? '';
      const readOnly = persistent?.readOnly ?? false;
      const { fsGroup, fsGroupChangePolicy: changePolicy } = pod.spec?.securityContext ?? {};
      const mountOptions = persistent?.mountOptions ?? [];
      const options = ['bind', ...(readOnly ? ['ro'] : []), ...mountOptions];
      /** Returns the directory to bind, once it is there. */
      const prepareSource = async (signal: AbortSignal): Promise<string> => {
        if (!(await isDisk(localPath))) return localPath;
        const device = await realPath(localPath);
        const fsType = local?.fsType || DEFAULT_FS_TYPE;
        await disks.mount({ volumeName: name, device, fsType, readOnly, mountOptions }, signal);
        return disks.directory(name);
      };
      const mount = async (source: string, signal: AbortSignal): Promise<void> => {
        const isFirst = (await countBinds(source)) === 0;
        unfinished.add(path);
        try {
          await mounter.mount({ source, target: path, options }, signal);
          // Not that of a volume which another pod uses.
          if (fsGroup !== undefined && !readOnly && isFirst)
            await giveToGroup(context, path, { fsGroup, changePolicy, readOnly }, { pod, signal });
          unfinished.delete(path);
        } catch (error) {
          await tearDown(uid, name).catch(() => undefined);
          throw error;
        }
      };
      return {
        hostPath: path,
        attributes: { readOnly, managed: !readOnly, seLinuxRelabel: true },
        async expand(_requiredBytes, signal) {
          // A directory has the size of its file system already.
          if (await isDisk(localPath)) await disks.grow(name, await realPath(localPath), signal);
        },
        async setUp(caller) {
          checkLocalPath(name, localPath);
          // A mounted path may be that of a change which still runs. The mount stays until the change has ended.
          await groupChanges.run(path, caller, async (signal) => {
            if (unfinished.has(path)) await mounts.unmountAll(path, {}, signal);
            if ((await mounts.at(path)) !== undefined) return;
            await isDisk(localPath);
            // A stat that took longer than its caller waits: the pod may have ended.
            caller.throwIfAborted();
            // Before the wait, so that the teardown of the pod finds the volume and cancels the change.
            await files.makeDirectory(path, 0o750);
            const source = await prepareSource(signal);
            // One pod of a volume after another, so that exactly one finds it unused.
            await turns.run(source, signal, () => mount(source, signal));
          });
        },
      };
    },
    tearDown,
  };

  /** Reports whether a path leads to a disk, rather than to a directory. @throws Error for everything else */
  async function isDisk(path: string): Promise<boolean> {
    const kind = (await hostFiles.stat(path))?.kind;
    if (kind === undefined) throw new Error(`path "${path}" does not exist`);
    if (kind !== 'directory' && kind !== 'block-device')
      throw new Error(`path "${path}" is a ${kind}, and only directories and block devices are mounted`);
    return kind === 'block-device';
  }

  /** Counts the pods that a directory is bound for. */
  async function countBinds(source: string): Promise<number> {
    const identity = (await hostFiles.stat(source))?.identity;
    const { points } = await mounter.mounts();
    const targets = points
      .map(({ target }) => target)
      .filter((target) => target.includes('/kubernetes.io~local-volume/'));
    // One on a broken disk is that of another directory: this one could be read.
    const found = await Promise.all(targets.map((target) => hostFiles.stat(target).catch(() => undefined)));
    return found.filter((info) => info?.identity === identity).length;
  }
}
