import type { CsiMount, CsiNode, CsiNodeCapability, CsiUsage } from '../csi-drivers.ts';
import type { PluginCallTarget } from '@rxlet/node-plugins';
import {
  Node,
  NodeServiceCapability_RPC_Type,
  VolumeCapability_AccessMode_Mode,
  type VolumeUsage,
  VolumeUsage_Unit,
} from '../../gen/csi/v1/csi_pb.js';
import { callDriver } from '../rpc/driver-call.ts';

/** Deadline of the calls (kubelet: csiTimeout). */
export const CSI_TIMEOUT_MS = 120_000;

const { method } = Node;

/** Creates the port to the node service of a driver. */
export function createCsiNode(target: PluginCallTarget): CsiNode {
  const options = (signal: AbortSignal | undefined) => ({ timeoutMs: CSI_TIMEOUT_MS, signal });
  return {
    async capabilities(signal) {
      const { capabilities } = await callDriver(target, method.nodeGetCapabilities, {}, options(signal));
      return new Set(capabilities.flatMap(({ type }) => (type.case === 'rpc' ? capabilityName(type.value.type) : [])));
    },
    async stageVolume({ volumeId, stagingTargetPath, volumeContext, publishContext = {}, secrets, ...mount }, signal) {
      const volumeCapability = volumeCapabilityOf(mount);
      const request = { volumeId, stagingTargetPath, volumeContext, publishContext, secrets, volumeCapability };
      await callDriver(target, method.nodeStageVolume, request, options(signal));
    },
    async unstageVolume({ volumeId, stagingTargetPath }, signal) {
      await callDriver(target, method.nodeUnstageVolume, { volumeId, stagingTargetPath }, options(signal));
    },
    async publishVolume(request, signal) {
      const { volumeId, stagingTargetPath, targetPath, readOnly: readonly, volumeContext, secrets } = request;
      const { publishContext = {} } = request;
      const volumeCapability = volumeCapabilityOf(request);
      await callDriver(
        target,
        method.nodePublishVolume,
        { volumeId, stagingTargetPath, targetPath, readonly, volumeContext, publishContext, secrets, volumeCapability },
        options(signal),
      );
    },
    async unpublishVolume({ volumeId, targetPath }, signal) {
      await callDriver(target, method.nodeUnpublishVolume, { volumeId, targetPath }, options(signal));
    },
    async volumeStats({ volumeId, volumePath, stagingTargetPath }, signal) {
      const request = { volumeId, volumePath, stagingTargetPath };
      const { usage } = await callDriver(target, method.nodeGetVolumeStats, request, options(signal));
      return { bytes: usageOf(usage, VolumeUsage_Unit.BYTES), inodes: usageOf(usage, VolumeUsage_Unit.INODES) };
    },
    async expandVolume({ volumeId, volumePath, stagingTargetPath, requiredBytes, secrets, ...mount }, signal) {
      const volumeCapability = volumeCapabilityOf(mount);
      const capacityRange = { requiredBytes };
      const request = { volumeId, volumePath, stagingTargetPath, capacityRange, secrets, volumeCapability };
      return (await callDriver(target, method.nodeExpandVolume, request, options(signal))).capacityBytes;
    },
  };
}

function volumeCapabilityOf({
  fsType,
  mountFlags,
  accessMode,
  isBlock = false,
  mountGroup = '',
}: Pick<CsiMount, 'fsType' | 'mountFlags' | 'accessMode' | 'isBlock' | 'mountGroup'>) {
  const mode = VolumeCapability_AccessMode_Mode[accessMode];
  if (isBlock) return { accessMode: { mode }, accessType: { case: 'block' as const, value: {} } };
  const mount = { fsType, mountFlags: [...mountFlags], volumeMountGroup: mountGroup };
  return { accessMode: { mode }, accessType: { case: 'mount' as const, value: mount } };
}

/** Returns no name for a capability of a later version. */
function capabilityName(type: NodeServiceCapability_RPC_Type): CsiNodeCapability | [] {
  const name = NodeServiceCapability_RPC_Type[type] as keyof typeof NodeServiceCapability_RPC_Type | undefined;
  return name === undefined || name === 'UNKNOWN' ? [] : name;
}

function usageOf(usage: readonly VolumeUsage[], wanted: VolumeUsage_Unit): CsiUsage | undefined {
  return usage.find(({ unit }) => unit === wanted);
}
