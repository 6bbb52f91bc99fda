import type { MappedDevice, VolumeDevices } from '@rxlet/agent-api/volumes';
import { errorMessage } from '@rxlet/component-base';
import type { PluginContext } from '../plugins/plugin-context.ts';
import { pathElement } from '@rxlet/node-files';

/** Devices of block volumes at the places where a kubelet has them (kubelet: MapBlockVolume and UnmapBlockVolume). */
export interface DeviceMap extends VolumeDevices {
  /** Binds the device below the global map path, links the pod's path to it, and keeps the device open. */
  map(device: MappedDevice, devicePath: string, signal?: AbortSignal): Promise<void>;
}

const DIRECTORY_MODE = 0o750;
const FILE_MODE = 0o750;

/** Creates a {@link DeviceMap}. */
export function createDeviceMap(context: PluginContext): DeviceMap {
  const { files, hostFiles, mounter, mounts, paths, loopDevices } = context;
  const linkOf = ({ podUid, plugin, name }: MappedDevice): string => paths.volumeDevice(podUid, plugin, name);
  const boundAt = ({ podUid, globalMapPath }: MappedDevice): string => `${globalMapPath}/${pathElement(podUid)}`;

  const bind = async (devicePath: string, target: string, signal: AbortSignal | undefined): Promise<void> => {
    const device = await hostFiles.stat(devicePath);
    if (device === undefined) throw new Error(`there is no ${devicePath}`);
    if (device.kind !== 'block-device') throw new Error(`${devicePath} is a ${device.kind}, expected a block device`);
    if ((await mounts.at(target)) !== undefined) {
      if ((await files.stat(target))?.identity === device.identity) return;
      await mounts.unmountAll(target, {}, signal);
    }
    if ((await files.stat(target)) === undefined) await files.createFile(target, FILE_MODE);
    try {
      await mounter.mount({ source: devicePath, target, options: ['bind'] }, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const cause = errorMessage(error);
      throw new Error(`failed to bind mount devicePath: ${devicePath} to linkPath ${target}: ${cause}`, {
        cause: error,
      });
    }
  };

  const record = async (device: MappedDevice, target: string): Promise<void> => {
    const link = linkOf(device);
    await files.makeDirectory(link.slice(0, link.lastIndexOf('/')), DIRECTORY_MODE);
    await files.symlink(target, link);
  };

  return {
    record,
    async map(device, devicePath, signal) {
      const { podUid, globalMapPath, name } = device;
      const link = linkOf(device);
      const podPath = link.slice(0, link.lastIndexOf('/'));
      const about = (call: string, mapPath: string): string => `blkUtil.${call} failed. ${mapPath}`;
      const ofPod = `globalMapPath:${globalMapPath}, podUID: ${podUid}`;
      const ofDevice = `devicePath: ${devicePath}`;
      await failing(about('MapDevice', `${ofDevice}, ${ofPod}, bindMount: true`), signal, async () => {
        await files.makeDirectory(globalMapPath, DIRECTORY_MODE);
        await bind(devicePath, boundAt(device), signal);
      });
      const ofLink = `${ofDevice}, podVolumeMapPath:${podPath}, volumeMapName: ${name}, bindMount: false`;
      await failing(about('MapDevice', ofLink), signal, () => record(device, devicePath));
      await failing(about('AttachFileDevice', ofPod), signal, async () =>
        loopDevices.attach(await mounts.realPath(boundAt(device)), signal),
      );
    },
    async unmap(device, signal) {
      const path = boundAt(device);
      if ((await files.stat(path)) === undefined) return;
      await loopDevices.detach(await mounts.realPath(path), signal);
      await mounts.unmountAll(path, {}, signal);
      await files.removeFile(path);
    },
    release: (device) => files.removeFile(linkOf(device)),
    isRecorded: async (device) => (await files.stat(linkOf(device))) !== undefined,
    async isUsedByOthers(device) {
      for (const podUid of await files.list(paths.pods))
        if (podUid !== device.podUid && (await files.stat(linkOf({ ...device, podUid }))) !== undefined) return true;
      return false;
    },
  };
}

/** Runs work and rejects with the kubelet's message. */
async function failing(message: string, signal: AbortSignal | undefined, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`${message}: ${errorMessage(error)}`, { cause: error });
  }
}
