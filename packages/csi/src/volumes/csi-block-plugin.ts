import type { CsiMount, CsiNodeCapability } from '../csi-drivers.ts';
import { createKeyedExecutor, errorMessage } from '@rxlet/component-base';
import type { CSIDriver, Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import type { MappedDevice } from '@rxlet/agent-api/volumes';
import type { BlockVolumePlugin, PodDevice } from '@rxlet/agent-api/volumes';
import { isOverAttachmentLimit } from './attachment-limit.ts';
import type { CsiContext } from './csi-context.ts';
import { attachmentMetadata } from './csi-attachment.ts';
import { expandCsiVolume } from './csi-expansion.ts';
import { createCsiLookup } from './csi-lookup.ts';
import { attachmentName, type BlockVolumePaths, blockVolumePaths, CSI_PLUGIN, uniqueVolumeName } from './csi-names.ts';
import { csiSecrets } from './csi-secrets.ts';
import { csiUsage } from './csi-usage.ts';
import {
  checkLifecycleMode,
  csiAccessMode,
  csiMetricName,
  type CsiVolume,
  csiVolumeOf,
  isAttachable,
  podContext,
} from './csi-volume.ts';
import { pathElement } from '@rxlet/node-files';
import { recordIn } from './recorded-volumes.ts';
import { checkDriverName, readVolumeData, type VolumeData, writeVolumeData } from './volume-data.ts';

const DIRECTORY_MODE = 0o750;

/**
 * Creates the plugin of CSI volumes that containers use as devices (kubelet: csiBlockMapper). The pods' links on the disk are the users of a volume, so that a
 * killed agent loses none.
 */
export function csiBlockPlugin(context: CsiContext): BlockVolumePlugin {
  const { files, mounts, paths, devices, nodeName, rootDirectory, drivers } = context;
  const { driverObject, nodeOf } = createCsiLookup(context);
  /** Sets up and tears down one volume after the other. */
  const executor = createKeyedExecutor();
  /** Volumes that this agent has staged. */
  const staged = new Set<string>();
  const pathsOf = (name: string): BlockVolumePaths => blockVolumePaths(rootDirectory, name);
  const deviceOf = (uid: string, name: string): MappedDevice => ({
    podUid: uid,
    plugin: CSI_PLUGIN,
    name,
    globalMapPath: pathsOf(name).devices,
  });
  const publishedAt = (uid: string, name: string): string => `${pathsOf(name).publish}/${pathElement(uid)}`;

  /** Before the driver is called: whatever it does must be undone, by a later agent if need be. */
  const record = async (uid: string, name: string, { driver, handle }: CsiVolume): Promise<void> => {
    await devices.record(deviceOf(uid, name), publishedAt(uid, name));
    const { data } = pathsOf(name);
    await files.makeDirectory(data, DIRECTORY_MODE);
    await writeVolumeData(files, data, {
      specVolID: name,
      volumeHandle: handle,
      driverName: driver,
      nodeName,
      attachmentID: attachmentName(handle, driver, nodeName),
    });
  };

  const podDevice = (name: string, volume: CsiVolume, pod: Pod): PodDevice => {
    checkDriverName(volume.driver);
    const { driver, handle: volumeId, readOnly } = volume;
    const uid = podUid(pod);
    const { devices: globalMapPath, staging: stagingTargetPath, publish } = pathsOf(name);
    let object: CSIDriver | undefined;
    let publishContext: Readonly<Record<string, string>> | undefined;

    const callOf = (capabilities: ReadonlySet<CsiNodeCapability>): Omit<CsiMount, 'volumeContext' | 'secrets'> => ({
      volumeId,
      publishContext,
      isBlock: true,
      fsType: '',
      mountFlags: [],
      accessMode: csiAccessMode(volume, capabilities),
    });

    return {
      readOnly,
      globalMapPath,
      async initialize(signal) {
        object = await driverObject(driver, signal);
        checkLifecycleMode(volume, object);
      },
      attachedAs: () => (isAttachable(volume, object) ? uniqueVolumeName(driver, volumeId) : undefined),
      async waitForAttach(signal) {
        publishContext = await attachmentMetadata(context, volume, signal);
      },
      async expand(requiredBytes, signal) {
        const volumePath = await context.realPath(publishedAt(uid, name));
        const expansion = { pod, volume, requiredBytes, isBlock: true, volumePath, stagingTargetPath };
        await expandCsiVolume(context, expansion, signal);
      },
      setUpDevice: (signal) =>
        executor.run(name, async () => {
          signal.throwIfAborted();
          const node = nodeOf(driver, 'blockMapper.SetUpDevice failed to get CSI client');
          const capabilities = await node.capabilities(signal);
          await record(uid, name, volume);
          if (!capabilities.has('STAGE_UNSTAGE_VOLUME') || staged.has(name)) return;
          const failure = (secret: string) => `kubernetes.io/csi: failed to get NodeStageSecretRef ${secret}`;
          const secrets = await csiSecrets(context, volume, volume.stageSecret, { failure, pod, signal });
          await files.makeDirectory(stagingTargetPath, DIRECTORY_MODE);
          const call = { ...callOf(capabilities), volumeContext: volume.attributes, secrets };
          await node.stageVolume({ ...call, stagingTargetPath }, signal);
          staged.add(name);
        }),
      async mapPodDevice(signal) {
        const node = nodeOf(driver, 'blockMapper.MapPodDevice failed to get CSI client');
        const capabilities = await node.capabilities(signal);
        const failure = (secret: string) => `kubernetes.io/csi: failed to get NodePublishSecretRef ${secret}`;
        const secrets = await csiSecrets(context, volume, volume.publishSecret, { failure, pod, signal });
        await files.makeDirectory(publish, DIRECTORY_MODE);
        const call = { ...callOf(capabilities), volumeContext: podContext(volume, object, pod), secrets };
        const targetPath = publishedAt(uid, name);
        // As a kubelet, it names the path also to drivers that do not stage volumes.
        await node.publishVolume({ ...call, stagingTargetPath, targetPath, readOnly }, signal);
        return targetPath;
      },
    };
  };

  const unpublish = async (uid: string, name: string, data: VolumeData, signal?: AbortSignal): Promise<void> => {
    const node = nodeOf(data.driverName, 'blockMapper.UnmapPodDevice failed to get CSI client');
    try {
      await node.unpublishVolume({ volumeId: data.volumeHandle, targetPath: publishedAt(uid, name) }, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const cause = errorMessage(error);
      throw new Error(`kubernetes.io/csi: blockMapper.unpublishVolumeForBlock failed: ${cause}`, { cause: error });
    }
    const path = publishedAt(uid, name);
    if ((await mounts.at(path)) !== undefined) throw new Error(`cannot remove ${path}: it is still mounted`);
    // Drivers should have done so.
    await files.removeFile(path);
  };

  /** Unstages a volume that no pod uses, and removes its directories. */
  const unstage = async (name: string, data: VolumeData, signal?: AbortSignal): Promise<void> => {
    const { directory, staging, publish } = pathsOf(name);
    staged.delete(name);
    if (await files.exists(staging)) {
      const node = nodeOf(data.driverName, 'blockMapper.TearDownDevice failed to get CSI client');
      if ((await node.capabilities(signal)).has('STAGE_UNSTAGE_VOLUME'))
        await node.unstageVolume({ volumeId: data.volumeHandle, stagingTargetPath: staging }, signal);
      await files.removeTree(staging);
    }
    if (!(await files.removeEmptyDirectory(publish))) throw new Error(`cannot remove ${publish}: it is not empty`);
    await files.removeTree(directory);
  };

  return {
    name: CSI_PLUGIN,
    field: 'csi',
    mode: 'Block',
    metricName: csiMetricName,
    isOverAttachmentLimit: (volume, signal) => isOverAttachmentLimit(context, volume, signal),
    device: (volume, pod) => podDevice(volume.name, csiVolumeOf(volume, pod), pod),
    async recordedVolumes(uid) {
      const names = await files.list(paths.pluginVolumeDevices(uid, CSI_PLUGIN));
      return (await Promise.all(names.map((name) => recordIn(files, () => pathsOf(name).data)))).flat();
    },
    mayBeMounted: async (uid, name) => (await files.stat(paths.volumeDevice(uid, CSI_PLUGIN, name))) !== undefined,
    async usage(uid, name, { signal, onDriver }) {
      const { data, devices: globalMapPath } = pathsOf(name);
      const found = await readVolumeData(files, data);
      if (found === undefined) return undefined;
      const node = drivers.node(found.driverName);
      if (!(await node.capabilities(signal)).has('GET_VOLUME_STATS')) return undefined;
      const request = { volumeId: found.volumeHandle, volumePath: `${globalMapPath}/${pathElement(uid)}` };
      onDriver(found.driverName);
      return csiUsage(await node.volumeStats({ ...request, stagingTargetPath: '' }, signal));
    },
    async tearDown(uid, name, signal) {
      const device = deviceOf(uid, name);
      if (!(await devices.isRecorded(device))) return;
      await devices.unmap(device, signal);
      const data = await readVolumeData(files, pathsOf(name).data);
      if (data !== undefined) {
        checkDriverName(data.driverName);
        await unpublish(uid, name, data, signal);
      }
      await executor.run(name, async () => {
        signal?.throwIfAborted();
        if (data !== undefined && !(await devices.isUsedByOthers(device))) await unstage(name, data, signal);
        await devices.release(device);
      });
    },
  };
}
