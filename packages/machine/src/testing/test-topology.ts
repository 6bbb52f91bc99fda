import type { MachineTopology } from '../topology/machine-topology.ts';

/** Shape of a {@link createTestTopology}. */
export interface TestTopology {
  readonly sockets?: number;
  readonly nodesPerSocket?: number;
  /** Hardware threads of the cores of each NUMA node: `[2, 2, 1]` has two cores with two threads, and one with a single thread. */
  readonly threadsOfCores?: readonly number[];
  /** Cores that share a last-level cache; all of a NUMA node without it. */
  readonly coresPerCache?: number;
  readonly nodeMemoryBytes?: number;
}

/** Creates the topology of a regular machine: by default one NUMA node with four CPUs and 8 GiB. CPUs are numbered by core. */
export function createTestTopology({
  sockets = 1,
  nodesPerSocket = 1,
  threadsOfCores = [1, 1, 1, 1],
  coresPerCache,
  nodeMemoryBytes = 8 * 2 ** 30,
}: TestTopology = {}): MachineTopology {
  let nextCpu = 0;
  let nextCore = 0;
  const nodes = sockets * nodesPerSocket;
  const ids = Array.from({ length: nodes }, (_, id) => id);
  const numaNodes = ids.map((id) => ({
    id,
    memoryBytes: nodeMemoryBytes,
    hugePages: [],
    distances: ids.map((other) => (other === id ? 10 : 20)),
    cores: threadsOfCores.map((threads) => {
      const cpus = Array.from({ length: threads }, () => nextCpu++);
      const core = nextCore++;
      return {
        socket: Math.floor(id / nodesPerSocket),
        cpus,
        ...(coresPerCache !== undefined && { uncoreCache: Math.floor(core / coresPerCache) }),
      };
    }),
  }));
  return { numaNodes };
}
