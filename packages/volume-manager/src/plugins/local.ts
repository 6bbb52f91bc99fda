import { createKeyedExecutor } from '@rxlet/component-base';
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
  const { files, hostFiles, mounter, mounts, paths } = context;
  const executor = createKeyedExecutor();
  const tearDown = async (uid: string, name: string, signal?: AbortSignal): Promise<void> => {
    const path = paths.volume(uid, LOCAL_PLUGIN, name);
    await mounts.unmountAll(path, {}, signal);
    if (!(await files.removeEmptyDirectory(path))) throw new Error(`cannot remove ${path}: it is not empty`);
  };
  return {
    name: LOCAL_PLUGIN,
    field: 'local',
    mode: 'Filesystem',
    refreshes: false,
    volume({ name, local, claim }, pod) {
      const uid = podUid(pod);
      const path = paths.volume(uid, LOCAL_PLUGIN, name);
      const source = local?.path ?? '';
      const readOnly = claim?.readOnly ?? false;
      const options = ['bind', ...(readOnly ? ['ro'] : []), ...(claim?.mountOptions ?? [])];
      return {
        hostPath: path,
        attributes: { readOnly, managed: !readOnly, seLinuxRelabel: true },
        // A directory has the size of its file system already.
        expand: async () => undefined,
        async setUp(signal) {
          checkLocalPath(name, source);
          if ((await mounts.at(path)) !== undefined) return;
          const kind = (await hostFiles.stat(source))?.kind;
          if (kind === undefined) throw new Error(`path "${source}" does not exist`);
          if (kind !== 'directory')
            throw new Error(`path "${source}" is a ${kind}, which this node agent does not mount`);
          const { fsGroup, fsGroupChangePolicy: changePolicy } = pod.spec?.securityContext ?? {};
          // One pod of a volume after another, so that exactly one finds it unused.
          await executor.run(source, async () => {
            signal.throwIfAborted();
            const isFirst = (await countBinds(source)) === 0;
            await files.makeDirectory(path, 0o750);
            try {
              await mounter.mount({ source, target: path, options }, signal);
              // Not that of a volume which another pod uses.
              if (fsGroup !== undefined && !readOnly && isFirst)
                await giveToGroup(context, path, { fsGroup, changePolicy, readOnly }, { pod, signal });
            } catch (error) {
              await tearDown(uid, name).catch(() => undefined);
              throw error;
            }
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
