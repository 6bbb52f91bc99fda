import type { VolumeHost, VolumeMountRequest } from '@rxlet/agent-api/volumes';
import type { NodeFiles } from '@rxlet/node-files';

/** Creates the parts of a {@link VolumeHost} that the tests of this package use; its mounts are a list in memory. */
export function createTestHost(files: NodeFiles, rootDirectory: string): VolumeHost {
  const mounted: VolumeMountRequest[] = [];
  const pods = `${rootDirectory}/pods`;
  const directoryOf = (plugin: string): string => plugin.replaceAll('/', '~');
  const unused = async (): Promise<never> => Promise.reject(new Error('not part of this test'));
  const host: VolumeHost = {
    paths: {
      pods,
      pluginVolumes: (uid, plugin) => `${pods}/${uid}/volumes/${directoryOf(plugin)}`,
      volume: (uid, plugin, name) => `${host.paths.pluginVolumes(uid, plugin)}/${name}`,
      pluginVolumeDevices: (uid, plugin) => `${pods}/${uid}/volumeDevices/${directoryOf(plugin)}`,
      volumeDevice: (uid, plugin, name) => `${host.paths.pluginVolumeDevices(uid, plugin)}/${name}`,
    },
    mounts: {
      mount: async (request) => void mounted.push(request),
      async at(path) {
        const found = mounted.findLast(({ target }) => target === path);
        return found && { fsType: '', ...found };
      },
      async unmountAll(path) {
        const kept = mounted.filter(({ target }) => target !== path && !target.startsWith(`${path}/`));
        mounted.splice(0, mounted.length, ...kept);
      },
      async remove(path) {
        await host.mounts.unmountAll(path);
        await files.removeTree(path);
      },
    },
    devices: { record: unused, unmap: unused, release: unused, isRecorded: unused, isUsedByOthers: unused },
    realPath: async (path) => path,
    giveToGroup: unused,
    seLinux: async () => undefined,
  };
  return host;
}
