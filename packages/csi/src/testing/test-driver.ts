import type { DescMethod, Message } from '@bufbuild/protobuf';
import { CsiCallError, type CsiNodeCapability } from '../csi-drivers.ts';
import type { Transport } from '@rxlet/node-plugins';
import { createTestPluginServer, Registration } from '@rxlet/node-plugins/testing';
import {
  Node,
  type NodeExpandVolumeRequest,
  type NodePublishVolumeRequest,
  NodeServiceCapability_RPC_Type,
  type NodeStageVolumeRequest,
  type NodeUnpublishVolumeRequest,
  type NodeUnstageVolumeRequest,
} from '../../gen/csi/v1/csi_pb.js';

/** Mounts of a test driver. */
export interface DriverMounts {
  /** Creates the directory that holds the content of a volume, and returns its path. */
  makeVolume(volumeId: string): Promise<string>;
  /** Creates the device of a block volume, unless it exists, and returns its path. Default: the driver has no block volumes. */
  makeDevice?(volumeId: string): Promise<string>;
  /** Removes the device of a block volume; succeeds when there is none. */
  removeDevice?(volumeId: string): Promise<void>;
  /** Creates the target and binds a directory, or a device, to it, unless something is mounted there. */
  bind(source: string, target: string, kind?: 'directory' | 'device'): Promise<void>;
  /** Unmounts and removes a target; succeeds when there is nothing. */
  unbind(target: string): Promise<void>;
}

/** Options of {@link createTestDriver}. */
export interface TestDriverOptions {
  readonly name: string;
  readonly mounts: DriverMounts;
  /** Default: none. */
  readonly capabilities?: readonly CsiNodeCapability[];
  /** Default: `1.9.0`. */
  readonly versions?: readonly string[];
  /** Type of the plugin. Default: `CSIPlugin`. */
  readonly type?: string;
  /** Limit of volumes on a node. Default: none. */
  readonly maxVolumes?: number;
  /** Name of the node for the driver. Default: `node-of-` and the name of the driver. */
  readonly nodeId?: string;
}

/** A call that the driver has received. */
export interface DriverCall {
  readonly method: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** A CSI driver for tests: its volumes are directories or devices, which it binds. */
export interface TestDriver extends AsyncDisposable {
  /** Limit of volumes on a node; 0: none. */
  maxVolumes: number;
  /** Calls so far, in order. */
  readonly calls: readonly DriverCall[];
  /** Consulted before each call: it may throw, or return a promise that the call waits for. */
  fault: ((method: string, request: object) => void | Promise<void>) | undefined;
  /** Serves the driver and its registration on a unix socket, until disposed of. */
  listen(socketPath: string): Promise<void>;
  /** Carries calls to the driver without a socket. */
  readonly transport: Transport;
}

/** Creates a {@link TestDriver}. */
export function createTestDriver(options: TestDriverOptions): TestDriver {
  const { name, mounts, capabilities = [], versions = ['1.9.0'], type = 'CSIPlugin', maxVolumes = 0 } = options;
  const { nodeId = `node-of-${name}` } = options;
  const calls: DriverCall[] = [];

  const deviceOf = async (volumeId: string): Promise<string> => {
    if (mounts.makeDevice === undefined) throw new CsiCallError('InvalidArgument', 'block volumes are not supported');
    return mounts.makeDevice(volumeId);
  };

  const handlers: Readonly<Record<string, (request: never) => object | Promise<object>>> = {
    GetInfo: () => ({ type, name, endpoint: '', supportedVersions: [...versions] }),
    NotifyRegistrationStatus: () => ({}),
    NodeGetInfo: () => ({ nodeId, maxVolumesPerNode: BigInt(driver.maxVolumes) }),
    NodeGetCapabilities: () => ({
      capabilities: capabilities.map((capability) => ({
        type: { case: 'rpc', value: { type: NodeServiceCapability_RPC_Type[capability] } },
      })),
    }),
    async NodeStageVolume({ volumeId, stagingTargetPath, volumeCapability }: NodeStageVolumeRequest) {
      if (volumeCapability?.accessType.case === 'block') {
        await deviceOf(volumeId);
        return {};
      }
      await mounts.bind(await mounts.makeVolume(volumeId), stagingTargetPath);
      return {};
    },
    async NodeUnstageVolume({ volumeId, stagingTargetPath }: NodeUnstageVolumeRequest) {
      await mounts.unbind(stagingTargetPath);
      await mounts.removeDevice?.(volumeId);
      return {};
    },
    async NodePublishVolume({ volumeId, stagingTargetPath, targetPath, volumeCapability }: NodePublishVolumeRequest) {
      if (volumeCapability?.accessType.case === 'block') {
        await mounts.bind(await deviceOf(volumeId), targetPath, 'device');
        return {};
      }
      // Volumes of a single pod are never staged.
      await mounts.bind(stagingTargetPath === '' ? await mounts.makeVolume(volumeId) : stagingTargetPath, targetPath);
      return {};
    },
    async NodeUnpublishVolume({ targetPath }: NodeUnpublishVolumeRequest) {
      await mounts.unbind(targetPath);
      return {};
    },
    NodeGetVolumeStats: () => ({ usage: [{ unit: 1, available: 6n, total: 10n, used: 4n }] }),
    NodeExpandVolume: ({ capacityRange }: NodeExpandVolumeRequest) => ({
      capacityBytes: capacityRange?.requiredBytes ?? 0n,
    }),
  };

  const answer = async ({ name: method }: DescMethod, request: Message): Promise<object> => {
    const { $typeName: _, ...fields } = request as Message & Readonly<Record<string, unknown>>;
    calls.push({ method, request: fields });
    await driver.fault?.(method, request);
    const handler = handlers[method];
    if (handler === undefined) throw new CsiCallError('Unimplemented', `unknown method ${method}`);
    return handler(request as never);
  };
  const server = createTestPluginServer([Node, Registration], { answer });
  const driver: TestDriver = {
    maxVolumes,
    calls,
    fault: undefined,
    listen: (socketPath) => server.listen(socketPath),
    transport: server.transport,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return driver;
}
