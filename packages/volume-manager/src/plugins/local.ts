import { createKeyedExecutor, withDeadline } from '@rxlet/component-base';
import { podUid } from '@rxlet/pod-model';
import { giveToGroup } from './empty-directory.ts';
import type { PluginContext } from './plugin-context.ts';
import type { VolumePlugin } from '@rxlet/agent-api/volumes';

export const LOCAL_PLUGIN = 'kubernetes.io/local-volume';

/** Throws the kubelet's message for a path that no volume may have. */
export function checkLocalPath(volumeName: string, path: string): void {
  if (path === '') throw new Error(`LocalVolume volume "${volumeName}" path is empty`);
  if (path.split('/').includes('..')) throw new Error(`invalid path: ${path} must not contain '..'`);
}

/** Creates the plugin of local persistent volumes: a directory of the node, bound for each pod. */
export function localPlugin(context: PluginContext): VolumePlugin {
  const { files, hostFiles, mounter, mounts, paths, clock, groupChanges } = context;
  const executor = createKeyedExecutor();
  /** Paths that may be mounted although their volume is not ready: its change runs, or has failed. */
  const unfinished = new Set<string>();
  const tearDown = async (uid: string, name: string, signal?: AbortSignal): Promise<void> => {
    const path = paths.volume(uid, LOCAL_PLUGIN, name);
    await mounts.unmountAll(path, {}, signal);
    unfinished.delete(path);
    if (!(await files.removeEmptyDirectory(path))) throw new Error(`cannot remove ${path}: it is not empty`);
  };
  /** Runs work after the earlier work on a directory of the node. A wait ends when the signal aborts; work that has begun ends by itself. */
  const inTurn = async (source: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> => {
    signal.throwIfAborted();
    let hasBegun = false;
    const turn = executor.run(source, async () => {
      signal.throwIfAborted();
      hasBegun = true;
      await work();
    });
    try {
      await withDeadline(clock, Infinity, signal, () => turn);
    } catch (error) {
      if (!hasBegun) throw error;
      await turn;
    }
  };
  return {
    name: LOCAL_PLUGIN,
    field: 'local',
    mode: 'Filesystem',
    refreshes: false,
    volume({ name, local, persistent }, pod) {
      const uid = podUid(pod);
      const path = paths.volume(uid, LOCAL_PLUGIN, name);
      const source = local?.path ?? '';
      const readOnly = persistent?.readOnly ?? false;
      const { fsGroup, fsGroupChangePolicy: changePolicy } = pod.spec?.securityContext ?? {};
      const options = ['bind', ...(readOnly ? ['ro'] : []), ...(persistent?.mountOptions ?? [])];
      const mount = async (signal: AbortSignal): Promise<void> => {
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
        // A directory has the size of its file system already.
        expand: async () => undefined,
        async setUp(caller) {
          checkLocalPath(name, source);
          // A mounted path may be that of a change which still runs. The mount stays until the change has ended.
          await groupChanges.run(path, caller, async (signal) => {
            if (unfinished.has(path)) await mounts.unmountAll(path, {}, signal);
            if ((await mounts.at(path)) !== undefined) return;
            const kind = (await hostFiles.stat(source))?.kind;
            if (kind === undefined) throw new Error(`path "${source}" does not exist`);
            if (kind !== 'directory')
              throw new Error(`path "${source}" is a ${kind}, which this node agent does not mount`);
            // A stat that took longer than its caller waits: the pod may have ended.
            caller.throwIfAborted();
            // Before the wait, so that the teardown of the pod finds the volume and cancels the change.
            await files.makeDirectory(path, 0o750);
            // One pod of a volume after another, so that exactly one finds it unused.
            await inTurn(source, signal, () => mount(signal));
          });
        },
      };
    },
    tearDown,
  };

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
