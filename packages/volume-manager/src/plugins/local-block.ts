import { podUid } from '@rxlet/pod-model';
import type { MappedDevice } from '@rxlet/agent-api/volumes';
import { createDeviceMap } from '../block/device-map.ts';
import { pathElement } from '@rxlet/node-files';
import { escapePluginName } from '../volume-paths.ts';
import type { BlockVolumePlugin } from '@rxlet/agent-api/volumes';
import { LOCAL_PLUGIN } from './local-disks.ts';
import { checkLocalPath } from './local.ts';
import type { PluginContext } from './plugin-context.ts';

/** Creates the plugin of local persistent volumes that containers use as devices (kubelet: localVolumeMapper). */
export function localBlockPlugin(context: PluginContext): BlockVolumePlugin {
  const { files, hostFiles, rootDirectory } = context;
  const devices = createDeviceMap(context);
  const globalMapPath = (name: string): string =>
    `${rootDirectory}/plugins/${escapePluginName(LOCAL_PLUGIN)}/volumeDevices/${pathElement(name)}`;
  const deviceOf = (uid: string, name: string): MappedDevice => ({
    podUid: uid,
    plugin: LOCAL_PLUGIN,
    name,
    globalMapPath: globalMapPath(name),
  });
  return {
    name: LOCAL_PLUGIN,
    field: 'local',
    mode: 'Block',
    device({ name, local, persistent }, pod) {
      const source = local?.path ?? '';
      return {
        readOnly: persistent?.readOnly ?? false,
        globalMapPath: globalMapPath(name),
        // A device has its size already.
        expand: async () => undefined,
        async mapPodDevice() {
          checkLocalPath(name, source);
          if ((await hostFiles.stat(source)) === undefined) throw new Error(`path "${source}" does not exist`);
          await devices.record(deviceOf(podUid(pod), name), source);
          return source;
        },
      };
    },
    async tearDown(uid, name, signal) {
      const device = deviceOf(uid, name);
      await devices.unmap(device, signal);
      await files.removeEmptyDirectory(device.globalMapPath);
      await devices.release(device);
    },
  };
}
