import { type AgentModule, provide } from '@rxlet/agent-api';
import { nodeStatistics, type NodeStatistics, type PodUse } from '@rxlet/agent-api/node';
import { podUid } from '@rxlet/pod-model';
import { contributing } from './test-modules.ts';
import type { TestNode } from './test-node.ts';

const MI = 2 ** 20;
const GI = 2 ** 30;

/** Resources that a node has left and that its pods use. A test changes them at any time. */
export interface MeasuredNode {
  /** Of 8 GiB. */
  memoryLeftMi: number;
  /** Of 100 GiB. */
  diskLeftGi: number;
  /** Of 1,000. */
  processesLeft: number;
  /** Memory by the name of the pod. */
  readonly memoryMi: Map<string, number>;
  /** Local storage by the name of the pod: of a volume `scratch`, and of logs of the container `app`. */
  readonly scratchMi: Map<string, number>;
  readonly logsMi: Map<string, number>;
  /** Names of pods whose volumes cannot be measured yet. */
  readonly unmeasured: Set<string>;
  /** UIDs of each measurement; `undefined`: all pods. */
  readonly measurements: (ReadonlySet<string> | undefined)[];
  /** Module of the statistics. */
  readonly module: AgentModule;
}

/** Creates a {@link MeasuredNode} with plenty of everything. */
export function createMeasuredNode(node: () => TestNode): MeasuredNode {
  const memory = () => {
    const { clock } = node();
    const availableBytes = measured.memoryLeftMi * MI;
    return { time: clock.now() + 1, availableBytes, workingSetBytes: 8 * GI - availableBytes };
  };
  const podUse = (uid: string, name: string): PodUse => {
    const workingSetBytes = (measured.memoryMi.get(name) ?? 1) * MI;
    const scratch = (measured.scratchMi.get(name) ?? 0) * MI;
    const logs = (measured.logsMi.get(name) ?? 0) * MI;
    return {
      podRef: { uid },
      memory: { workingSetBytes },
      containers: [{ name: 'app', memory: { workingSetBytes }, rootfs: { usedBytes: 0 }, logs: { usedBytes: logs } }],
      ...(!measured.unmeasured.has(name) && { volume: [{ name: 'scratch', usedBytes: scratch }] }),
      'ephemeral-storage': { usedBytes: scratch + logs },
    };
  };
  const statistics: NodeStatistics = {
    async summary(_signal, uids) {
      measured.measurements.push(uids);
      const time = node().clock.now() + 1;
      const fs = {
        time,
        availableBytes: measured.diskLeftGi * GI,
        capacityBytes: 100 * GI,
        inodes: 1e6,
        inodesFree: 9e5,
      };
      const pods = node().agent().pods.list();
      return {
        node: {
          memory: memory(),
          fs,
          runtime: { imageFs: fs, containerFs: fs },
          rlimit: { time, maxpid: 1000, curproc: 1000 - measured.processesLeft },
        },
        pods: pods
          .filter((pod) => uids?.has(podUid(pod)) !== false)
          .map((pod) => podUse(podUid(pod), pod.metadata?.name ?? '')),
      };
    },
    memory: () => ({ node: memory() }),
    fileSystemLayout: async () => 'shared',
  };
  const measured: MeasuredNode = {
    memoryLeftMi: 4096,
    diskLeftGi: 50,
    processesLeft: 500,
    memoryMi: new Map(),
    scratchMi: new Map(),
    logsMi: new Map(),
    unmeasured: new Set(),
    measurements: [],
    module: contributing({ services: [provide(nodeStatistics, statistics)] }, 'stats'),
  };
  return measured;
}
