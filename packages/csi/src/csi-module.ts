import { type AgentModule, provide } from '@rxlet/agent-api';
import { csiDrivers, pluginRegistry } from '@rxlet/agent-api/plugins';
import type { CSIDriver } from '@rxlet/kube-api';
import { createSocketTransport, type Transport } from '@rxlet/node-plugins';
import { createDriverRegistry } from './drivers/driver-registry.ts';

/** Options of {@link csi}. */
export interface CsiOptions {
  /** CSIDriver objects, for nodes without an API server: inline volumes need the object of their driver. */
  readonly drivers?: readonly CSIDriver[] | undefined;
  /** Carries calls to drivers. Default: gRPC over unix sockets. */
  readonly transport?: Transport | undefined;
}

/** Creates the agent module that registers CSI drivers, which the module `nodePlugins()` finds. The module `volumes()` mounts their volumes. */
export function csi({ drivers = [], transport = createSocketTransport() }: CsiOptions = {}): AgentModule {
  return {
    name: 'csi',
    needs: [pluginRegistry],
    provides: [csiDrivers],
    setup({ clock, services }) {
      const registry = createDriverRegistry({ clock, transport }, drivers);
      services.get(pluginRegistry).addHandler(registry.handler);
      return { services: [provide(csiDrivers, registry)] };
    },
  };
}
