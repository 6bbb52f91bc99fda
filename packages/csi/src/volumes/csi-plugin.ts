import { CsiCallError, type CsiMount, type CsiNodeCapability } from '../csi-drivers.ts';
import type { CSIDriver, Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import { contextOption, mountLabel } from './mount-label.ts';
import { isOverAttachmentLimit } from './attachment-limit.ts';
import type { CsiContext } from './csi-context.ts';
import type { PodVolume, VolumePlugin } from '@rxlet/agent-api/volumes';
import { attachmentMetadata } from './csi-attachment.ts';
import { expandCsiVolume } from './csi-expansion.ts';
import { createCsiLookup } from './csi-lookup.ts';
import { attachmentName, CSI_PLUGIN, uniqueVolumeName } from './csi-names.ts';
import { csiSecrets } from './csi-secrets.ts';
import { createCsiStaging } from './csi-staging.ts';
import { csiTokens } from './csi-tokens.ts';
import { mayBePersistent, recordIn } from './recorded-volumes.ts';
import { csiUsage } from './csi-usage.ts';
import {
  changesGroup,
  checkLifecycleMode,
  csiAccessMode,
  csiMetricName,
  type CsiVolume,
  csiVolumeOf,
  isAttachable,
  podContext,
} from './csi-volume.ts';
import { checkDriverName, readVolumeData, removeVolumeData, writeVolumeData } from './volume-data.ts';

const DIRECTORY_MODE = 0o750;

/** Creates the plugin of CSI volumes: a driver mounts them, first for the node if it stages volumes, then for each pod. */
export function csiPlugin(context: CsiContext): VolumePlugin {
  const { files, mounts, paths, nodeName, drivers } = context;
  const { driverObject, nodeOf } = createCsiLookup(context);
  const staging = createCsiStaging(context);
  const directoryOf = (uid: string, name: string): string => paths.volume(uid, CSI_PLUGIN, name);

  /** Before the driver is called: whatever it does must be undone, by a later agent if need be. */
  const record = async (directory: string, specName: string, volume: CsiVolume, label: string): Promise<void> => {
    const { driver, handle, lifecycleMode } = volume;
    await files.makeDirectory(directory, DIRECTORY_MODE);
    const recorded = await readVolumeData(files, directory).catch(() => undefined);
    // Otherwise the other volume would never be unstaged.
    if (recorded !== undefined && (recorded.driverName !== driver || recorded.volumeHandle !== handle))
      throw new Error(`${uniqueVolumeName(recorded.driverName, recorded.volumeHandle)} has the directory ${directory}`);
    await writeVolumeData(files, directory, {
      specVolID: specName,
      volumeHandle: handle,
      driverName: driver,
      nodeName,
      volumeLifecycleMode: lifecycleMode,
      attachmentID: attachmentName(handle, driver, nodeName),
      ...(label !== '' && { seLinuxMountContext: label }),
    });
  };

  /** Removes the record and the directories of a volume that the driver has unmounted. */
  const release = async (directory: string): Promise<void> => {
    const path = `${directory}/mount`;
    if ((await mounts.at(path)) !== undefined) throw new Error(`cannot remove ${path}: it is still mounted`);
    if (!(await files.removeEmptyDirectory(path))) throw new Error(`cannot remove ${path}: it is not empty`);
    await removeVolumeData(files, directory);
    if (!(await files.removeEmptyDirectory(directory))) throw new Error(`cannot remove ${directory}: it is not empty`);
  };

  const podVolume = (specName: string, volume: CsiVolume, pod: Pod): PodVolume => {
    checkDriverName(volume.driver);
    const { driver, handle: volumeId, readOnly, fsType, lifecycleMode } = volume;
    const directory = directoryOf(podUid(pod), specName);
    const targetPath = `${directory}/mount`;
    const { fsGroup, fsGroupChangePolicy: changePolicy } = pod.spec?.securityContext ?? {};
    let object: CSIDriver | undefined;
    /** SELinux label that the volume is mounted with; empty for none. */
    let label = '';
    let seLinuxRelabel = true;
    let publishContext: Readonly<Record<string, string>> | undefined;

    const mountOf = (capabilities: ReadonlySet<CsiNodeCapability>): Omit<CsiMount, 'volumeContext' | 'secrets'> => ({
      volumeId,
      fsType,
      mountFlags: [...volume.mountOptions, ...contextOption(label)],
      publishContext,
      accessMode: csiAccessMode(volume, capabilities),
      mountGroup: capabilities.has('VOLUME_MOUNT_GROUP') && fsGroup !== undefined ? String(fsGroup) : undefined,
    });

    return {
      hostPath: targetPath,
      get attributes() {
        return { readOnly: volume.isOnlyRead, managed: !readOnly, seLinuxRelabel, seLinuxLabeled: label !== '' };
      },
      refreshes: () => object?.spec?.requiresRepublish === true,
      async initialize(signal) {
        object = await driverObject(driver, signal);
        checkLifecycleMode(volume, object);
        const isSupported = object?.spec?.seLinuxMount === true;
        const { podVolumeName, accessModes } = volume;
        label = mountLabel(await context.seLinux(), pod, { podVolumeName, accessModes, isSupported });
      },
      attachedAs: () => (isAttachable(volume, object) ? uniqueVolumeName(driver, volumeId) : undefined),
      async waitForAttach(signal) {
        publishContext = await attachmentMetadata(context, volume, signal);
      },
      expand: (requiredBytes, signal) => {
        const paths = { volumePath: targetPath, stagingTargetPath: staging.path(driver, volumeId) };
        return expandCsiVolume(context, { pod, volume, requiredBytes, isBlock: false, ...paths }, signal);
      },
      async mountDevice(signal) {
        if (lifecycleMode === 'Ephemeral') return;
        const node = nodeOf(driver, 'attacher.MountDevice failed to create newCsiDriverClient');
        const capabilities = await node.capabilities(signal);
        await record(directory, specName, volume, label);
        if (!capabilities.has('STAGE_UNSTAGE_VOLUME')) return;
        const stagingTargetPath = staging.path(driver, volumeId);
        const failure = (secret: string) => `fetching NodeStageSecretRef ${secret} failed`;
        const call = { failure, pod, signal };
        const secrets = await csiSecrets(context, volume, volume.stageSecret, call);
        const mount = { ...mountOf(capabilities), volumeContext: volume.attributes, secrets };
        await staging.stage(node, driver, { ...mount, stagingTargetPath }, signal);
      },
      async setUp(signal) {
        const node = nodeOf(driver, 'mounter.SetUpAt failed to get CSI client');
        const capabilities = await node.capabilities(signal);
        const isStaged = lifecycleMode === 'Persistent' && capabilities.has('STAGE_UNSTAGE_VOLUME');
        const stagingTargetPath = isStaged ? staging.path(driver, volumeId) : '';
        const failure = (secret: string) => `fetching NodePublishSecretRef ${secret} failed`;
        const call = { failure, pod, signal };
        const secrets = await csiSecrets(context, volume, volume.publishSecret, call);
        // With a record, an earlier call may have published the volume, which containers then use.
        const isNew = (await readVolumeData(files, directory).catch(() => 'damaged')) === undefined;
        await record(directory, specName, volume, label);
        const tokens = await csiTokens(context, object, pod, signal);
        const volumeContext = { ...podContext(volume, object, pod), ...tokens.attributes };
        const mount = { ...mountOf(capabilities), volumeContext, secrets: { ...secrets, ...tokens.secrets } };
        try {
          await node.publishVolume({ ...mount, stagingTargetPath, targetPath, readOnly }, signal);
        } catch (error) {
          // A driver that has failed for good has left nothing. A persistent volume keeps its record, as it is staged.
          const isOver = error instanceof CsiCallError && error.isFinal && lifecycleMode === 'Ephemeral';
          if (isOver && isNew && (await mounts.at(targetPath)) === undefined)
            await release(directory).catch(() => undefined);
          throw error;
        }
        // Labels of files can be changed only where the file system has them.
        if ((await context.seLinux()) !== undefined)
          seLinuxRelabel = label === '' && (await mounts.at(targetPath))?.options.includes('seclabel') === true;
        if (fsGroup === undefined || capabilities.has('VOLUME_MOUNT_GROUP') || !changesGroup(volume, object)) return;
        await context.giveToGroup(targetPath, { fsGroup, changePolicy, readOnly: false }, { pod, signal });
      },
    };
  };

  return {
    name: CSI_PLUGIN,
    field: 'csi',
    mode: 'Filesystem',
    refreshes: false,
    metricName: csiMetricName,
    isOverAttachmentLimit: (volume, signal) => isOverAttachmentLimit(context, volume, signal),
    volume: (volume, pod) => podVolume(volume.name, csiVolumeOf(volume, pod), pod),
    async recordedVolumes(uid) {
      const volumes = paths.pluginVolumes(uid, CSI_PLUGIN);
      const found = (await files.list(volumes)).map((name) => recordIn(files, () => `${volumes}/${name}`));
      return (await Promise.all(found)).flat();
    },
    mayBeMounted: (uid, name) => mayBePersistent(files, directoryOf(uid, name)),
    async usage(uid, name, { signal, onDriver }) {
      const directory = directoryOf(uid, name);
      const data = await readVolumeData(files, directory);
      if (data === undefined) return undefined;
      const node = drivers.node(data.driverName);
      if (!(await node.capabilities(signal)).has('GET_VOLUME_STATS')) return undefined;
      const volumePath = `${directory}/mount`;
      onDriver(data.driverName);
      return csiUsage(
        await node.volumeStats({ volumeId: data.volumeHandle, volumePath, stagingTargetPath: '' }, signal),
      );
    },
    async tearDown(uid, name, signal) {
      const directory = directoryOf(uid, name);
      const data = await readVolumeData(files, directory);
      // Without a record no call has been made.
      if (data === undefined) return release(directory);
      checkDriverName(data.driverName);
      const node = nodeOf(data.driverName, 'mounter.TearDownAt failed to get CSI client');
      await node.unpublishVolume({ volumeId: data.volumeHandle, targetPath: `${directory}/mount` }, signal);
      if (data.volumeLifecycleMode === 'Ephemeral') return release(directory);
      await staging.unstage(node, data, directory, () => release(directory), signal);
    },
  };
}
