import { createLifetime, errorMessage, type Logger } from '@rxlet/component-base';
import type { FleetNode } from '../node/fleet-node.ts';
import type { NodeFaultType } from '../plan/node-faults.ts';
import { type DrainPorts, evictPods, setUnschedulable } from './drain-node.ts';

/** Ports of {@link beginFault}. */
export interface FaultPorts extends DrainPorts {
  readonly logger: Logger;
}

/** Ends a fault. */
export type EndFault = () => void | Promise<void>;

/** Share of the disk that is left under disk pressure: less than any default threshold of eviction. */
const PRESSURE_FREE = 0.03;

type Begin = (node: FleetNode, ports: FaultPorts) => EndFault | Promise<EndFault>;

/** Each fault is one of the machine below the agent, or of a user of the cluster. The agent itself does what agents do then. */
const BEGIN: Readonly<Record<NodeFaultType, Begin>> = {
  NotReady({ machine: { runtime } }) {
    runtime.setNetworkReady(false);
    return () => runtime.setNetworkReady(true);
  },
  async AgentStop(node) {
    await node.stopAgent();
    return () => node.startAgent();
  },
  RuntimeHang({ machine }) {
    machine.hangRuntime();
    return () => machine.restartRuntime();
  },
  DiskPressure({ machine: { disk } }) {
    const before = disk.usedBytes;
    disk.usedBytes = Math.ceil(disk.capacityBytes * (1 - PRESSURE_FREE));
    return () => void (disk.usedBytes = before);
  },
  async Drain({ name }, ports) {
    await setUnschedulable(ports, name, true);
    const drain = createLifetime();
    const evictions = evictPods(ports, name, drain.signal).catch((error: unknown) => {
      if (!drain.signal.aborted) ports.logger.warn('cannot drain a node', { node: name, error: errorMessage(error) });
    });
    void drain.track(evictions);
    return async () => {
      await drain[Symbol.asyncDispose]();
      await setUnschedulable(ports, name, false);
    };
  },
  async Reboot(node) {
    node.machine.powerOff();
    await node.stopAgent();
    return async () => {
      node.machine.boot();
      await node.startAgent();
    };
  },
};

/** Begins a fault of a node. @returns what ends it */
export async function beginFault(ports: FaultPorts, node: FleetNode, type: NodeFaultType): Promise<EndFault> {
  return BEGIN[type](node, ports);
}
