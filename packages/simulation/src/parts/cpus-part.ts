import { cpuManager, CPU_STATE_FILE, type CpuStateFile, parseCpuState } from '@rxlet/cpu-manager';
import { parseCpuSet, sortedCpus } from '@rxlet/machine/topology';
import { containerKey } from '../history/history.ts';
import { CPU_POLICY, numaModules, readTopology, TOPOLOGY_REASON } from './numa-machine.ts';
import { followFile, keyOfContainer, runningContainers } from './running-containers.ts';
import type { PartContext, PartKind, WorldPart } from './world-part.ts';

const STATE = `/root/${CPU_STATE_FILE}`;

/** Containers with CPUs of their own. One CPU is reserved, so that the others soon run out. */
export const cpusPart: PartKind = {
  name: 'cpus',
  steps: 0,
  extras: (choose) =>
    choose.chance(0.6) ? { cpuMillis: choose.pick([1_000, 1_000, 2_000]), memoryMi: 256, isGuaranteed: true } : {},
  create: createCpus,
};

function createCpus({ cluster, history, enabled }: PartContext): WorldPart {
  const { node } = cluster;
  followFile(node, STATE, (content, running) =>
    history.add({ kind: 'cpus', assigned: assignedCpus(parseCpuState(content)), running }),
  );
  return {
    name: 'cpus',
    endReasons: ['UnexpectedAdmissionError', TOPOLOGY_REASON, 'OutOfcpu', 'OutOfmemory', 'Preempting'],
    modules: () => [
      ...numaModules('cpus', enabled),
      cpuManager({ policy: CPU_POLICY, reservedSystemCpus: '0', readTopology }),
    ],
    run: () => false,
    differences() {
      const state = parseCpuState(node.files.text(STATE) ?? '{}');
      const assigned = assignedCpus(state);
      return runningContainers(node).flatMap((container) => {
        const key = keyOfContainer(container);
        const expected = assigned[key]?.join() ?? sortedCpus(state.shared).join();
        const actual = container.resources?.linux?.cpusetCpus ?? '';
        if (listOf(actual) === expected) return [];
        return [`${key} runs on the CPUs ${actual || 'of all containers'}, not on ${expected}`];
      });
    },
  };
}

/** Returns the CPUs of containers that have CPUs of their own, by key of the container. */
function assignedCpus({ assignments }: CpuStateFile): Readonly<Record<string, readonly number[]>> {
  return Object.fromEntries(
    [...assignments].flatMap(([uid, containers]) =>
      [...containers].map(([name, cpus]) => [containerKey({ uid, name }), sortedCpus(cpus)] as const),
    ),
  );
}

const listOf = (text: string): string => sortedCpus(parseCpuSet(text) ?? []).join();
