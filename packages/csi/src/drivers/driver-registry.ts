import type { PluginHandler } from '@rxlet/agent-api/plugins';
import type { CsiDrivers, RegisteredCsiDriver } from '../csi-drivers.ts';
import type { Clock } from '@rxlet/component-base';
import { goQuote } from '@rxlet/component-base/go';
import { createCurrentValue } from '@rxlet/component-base/streams';
import type { CSIDriver } from '@rxlet/kube-api';
import type { Transport } from '@rxlet/node-plugins';
import { Node } from '../../gen/csi/v1/csi_pb.js';
import { callDriver } from '../rpc/driver-call.ts';
import { createCsiNode, CSI_TIMEOUT_MS } from './csi-node.ts';
import { compareVersions, type DriverVersion, highestSupportedVersion } from './driver-versions.ts';

/** Ports of {@link createDriverRegistry}. */
export interface DriverRegistryPorts {
  readonly clock: Clock;
  readonly transport: Transport;
}

/** CSI drivers of the node, which plugins of the type `CSIPlugin` register. */
export interface DriverRegistry extends CsiDrivers {
  readonly handler: PluginHandler;
}

interface Driver extends RegisteredCsiDriver {
  readonly socketPath: string;
  readonly version: DriverVersion;
}

/** Creates a {@link DriverRegistry}. */
export function createDriverRegistry(
  { clock, transport }: DriverRegistryPorts,
  configured: readonly CSIDriver[],
): DriverRegistry {
  const drivers = new Map<string, Driver>();
  const registered = createCurrentValue<readonly RegisteredCsiDriver[]>([]);
  const publish = (): void =>
    registered.set(
      [...drivers.values()].map(({ name, nodeId, maxVolumes, topology }) => ({ name, nodeId, maxVolumes, topology })),
    );
  const register: PluginHandler['register'] = async ({ name, endpoint: socketPath, versions }, signal) => {
    const version = highestSupportedVersion(name, versions);
    const existing = drivers.get(name);
    if (existing !== undefined && compareVersions(existing.version, version) >= 0) {
      const reason = `Another driver with the same name is already registered with a higher supported version: ${goQuote(existing.version.join('.'))}`;
      throw new Error(`kubernetes.io/csi: RegisterPlugin for CSI driver ${goQuote(name)} failed. ${reason}`);
    }
    const target = { clock, transport, socketPath };
    const { nodeId, maxVolumesPerNode, accessibleTopology } = await callDriver(
      target,
      Node.method.nodeGetInfo,
      {},
      { timeoutMs: CSI_TIMEOUT_MS, signal },
    );
    if (nodeId === '') throw new Error('error adding CSI driver node info: driverNodeID must not be empty');
    drivers.set(name, {
      name,
      nodeId,
      socketPath,
      version,
      maxVolumes: limitOf(maxVolumesPerNode),
      topology: accessibleTopology?.segments ?? {},
    });
    publish();
  };
  return {
    node(name) {
      const driver = drivers.get(name);
      if (driver === undefined) throw new Error(`driver name ${name} not found in the list of registered CSI drivers`);
      return createCsiNode({ clock, transport, socketPath: driver.socketPath });
    },
    configured: (name) => configured.find(({ metadata }) => metadata?.name === name),
    registered$: registered.value$,
    async refresh(name, signal) {
      const driver = drivers.get(name);
      if (driver === undefined) throw new Error(`driver name ${name} not found in the list of registered CSI drivers`);
      const target = { clock, transport, socketPath: driver.socketPath };
      const options = { timeoutMs: CSI_TIMEOUT_MS, signal };
      const { maxVolumesPerNode } = await callDriver(target, Node.method.nodeGetInfo, {}, options);
      const maxVolumes = limitOf(maxVolumesPerNode);
      // Meanwhile the driver may have registered anew, with a limit of its own.
      if (drivers.get(name) !== driver || maxVolumes === driver.maxVolumes) return;
      drivers.set(name, { ...driver, maxVolumes });
      publish();
    },
    handler: {
      type: 'CSIPlugin',
      register,
      deregister({ name, endpoint }) {
        if (drivers.get(name)?.socketPath !== endpoint) return;
        drivers.delete(name);
        publish();
      },
    },
  };
}

/** Returns a driver's limit of volumes; 0 stands for none. */
function limitOf(maxVolumesPerNode: bigint): number | undefined {
  return maxVolumesPerNode > 0n ? Number(maxVolumesPerNode) : undefined;
}
