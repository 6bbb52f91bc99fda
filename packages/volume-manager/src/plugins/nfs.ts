import { isIPv6 } from 'node:net';
import { podUid } from '@rxlet/pod-model';
import type { PluginContext } from './plugin-context.ts';
import type { VolumePlugin } from '@rxlet/agent-api/volumes';

const NFS_PLUGIN = 'kubernetes.io/nfs';

/** Creates the plugin of nfs volumes: a directory of a server, mounted for the pod. */
export function nfsPlugin({ files, mounter, mounts, paths }: PluginContext): VolumePlugin {
  const tearDown = async (podUidOfVolume: string, name: string, signal?: AbortSignal): Promise<void> => {
    const path = paths.volume(podUidOfVolume, NFS_PLUGIN, name);
    await mounts.unmountAll(path, { force: true }, signal);
    // Never with content: that would be data which was written while the server was not mounted.
    if (!(await files.removeEmptyDirectory(path))) throw new Error(`cannot remove ${path}: it is not empty`);
  };
  return {
    name: NFS_PLUGIN,
    field: 'nfs',
    mode: 'Filesystem',
    refreshes: false,
    volume({ name, nfs, persistent }, pod) {
      const { server = '', path: exported = '' } = nfs ?? {};
      const readOnly = persistent?.readOnly ?? nfs?.readOnly ?? false;
      const options = [...(persistent?.mountOptions ?? []), ...(readOnly ? ['ro'] : [])];
      const path = paths.volume(podUid(pod), NFS_PLUGIN, name);
      return {
        hostPath: path,
        attributes: { readOnly, managed: false, seLinuxRelabel: false },
        async setUp(signal) {
          if ((await mounts.at(path)) !== undefined) return;
          await files.makeDirectory(path, 0o750);
          const source = `${isIPv6(server) ? `[${server}]` : server}:${exported}`;
          try {
            await mounter.mount({ source, target: path, fsType: 'nfs', options }, signal);
          } catch (error) {
            // The mount may have succeeded after its deadline.
            await tearDown(podUid(pod), name).catch(() => undefined);
            throw error;
          }
        },
      };
    },
    tearDown,
  };
}
