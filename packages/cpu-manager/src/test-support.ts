import type { Pod } from '@rxlet/kube-api';
import type { MachineTopology } from '@rxlet/machine/topology';
import { testPod } from '@rxlet/pod-model/testing';

/** Core of a {@link machineOf}. */
export type TestCore = MachineTopology['numaNodes'][number]['cores'][number];

/** Returns a machine with the cores of each of its NUMA nodes. */
export function machineOf(nodes: readonly (readonly TestCore[])[]): MachineTopology {
  return { numaNodes: nodes.map((cores, id) => ({ id, cores, memoryBytes: 0, hugePages: [] })) };
}

/** Container of a {@link cpuPod}. */
export interface CpuContainer {
  readonly name: string;
  /** CPU request and limit; `1` by default. */
  readonly cpu?: string;
  /** Whether it has no limits, which makes the pod Burstable. */
  readonly isBurstable?: boolean;
  readonly kind?: 'init' | 'sidecar' | 'regular';
}

/** Returns a Guaranteed pod. */
export function cpuPod(name: string, containers: readonly CpuContainer[]): Pod {
  const all = containers.map(({ name: container, cpu = '1', kind = 'regular', isBurstable = false }) => {
    const amounts = { cpu, memory: '64Mi' };
    const restartPolicy = kind === 'sidecar' ? { restartPolicy: 'Always' as const } : {};
    return {
      kind,
      container: {
        name: container,
        ...restartPolicy,
        resources: { requests: amounts, ...(!isBurstable && { limits: amounts }) },
      },
    };
  });
  const of = (isRegular: boolean): (typeof all)[number]['container'][] =>
    all.filter(({ kind }) => (kind === 'regular') === isRegular).map(({ container }) => container);
  return testPod({ name, containers: of(true), initContainers: of(false) });
}
