import type { AgentModule } from '@rxlet/agent-api';
import { cgroups } from '@rxlet/container-manager';
import { containerLogs } from '@rxlet/container-logs';
import { eviction } from '@rxlet/eviction';
import { imageManagement } from '@rxlet/image-manager';
import type { KubeClients } from '@rxlet/kube-api/client';
import { node } from '@rxlet/kubelet';
import { lifecycleHooks } from '@rxlet/lifecycle';
import { nodeAdmission } from '@rxlet/node-admission';
import { nodeStatus, type NodeStatusOptions } from '@rxlet/node-status';
import { probes } from '@rxlet/prober';
import { createPodProbeNetwork } from '@rxlet/prober/testing';
import { volumes } from '@rxlet/volume-manager';
import { memoryVolumes } from '@rxlet/volume-manager/testing';
import { stats } from '@rxlet/stats';
import type { SharedPort } from '@rxlet/kubelet-server';
import { nodeApi } from './node-api.ts';
import type { NodeSize } from './node-size.ts';
import type { SimulatedMachine } from './simulated-machine.ts';

/** Parts of a simulated node that its modules use. */
export interface ModuleParts {
  readonly clients: KubeClients;
  readonly machine: SimulatedMachine;
  readonly size: NodeSize;
  readonly status: NodeStatusOptions;
  readonly sharedPort: SharedPort;
  readonly startTimeMs: number;
  readonly reportsEvents: boolean;
}

/** Modules of a node for which a simulated machine has nothing: devices, plugins, sockets, and files that survive a restart of the process. */
const WITHOUT: ReadonlySet<string> = new Set([
  'topology-manager',
  'node-plugins',
  'csi',
  'dynamic-resources',
  'device-plugins',
  'cpu-manager',
  'memory-manager',
  'image-credentials',
  'journal',
  'pod-resources',
  'node-ui',
]);

/** Logs are in the memory of the process. */
const LOGS = { maxSizeBytes: 64 * 1024, maxFiles: 2, monitorIntervalMs: 60_000 };

/** Thresholds of a kubelet without a configuration. */
const EVICTION_HARD = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
};

/** Returns the modules of a node of a cluster, on a simulated machine. */
export function nodeModules(parts: ModuleParts): readonly AgentModule[] {
  const { clients, size, status } = parts;
  const { runtime, files, disk, kernel, facts: machine } = parts.machine;
  const network = createPodProbeNetwork(runtime.network);
  const own: readonly AgentModule[] = [
    nodeStatus({ ...status, machine }),
    nodeAdmission({ machine, maxPods: size.maxPods }),
    cgroups({ machine, cgroupsPerQOS: false, failSwapOn: false }),
    imageManagement({ readFsStats: disk.readFsStats }),
    lifecycleHooks({ http: network.http }),
    probes({ network }),
    volumes(memoryVolumes(files)),
    containerLogs(LOGS),
    stats({ onlyFromRuntime: true, kernelFiles: kernel, fileSystems: disk.fileSystems, machine }),
    eviction({ evictionHard: EVICTION_HARD }),
    nodeApi(parts.sharedPort, parts.startTimeMs),
  ];
  const isLeftOut = (name: string): boolean => WITHOUT.has(name) || (name === 'cluster-events' && !parts.reportsEvents);
  return node(clients, own).filter(({ name }) => !isLeftOut(name));
}
