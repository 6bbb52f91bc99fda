import type { CpuSet, MachineTopology } from '@rxlet/machine/topology';

/** Part of a machine that groups CPUs. */
export type CpuLevel = 'core' | 'uncoreCache' | 'socket' | 'numaNode';

/** Ids of the parts of the machine that a CPU belongs to. The id of a core is its lowest CPU. */
export type CpuPlace = Readonly<Record<CpuLevel, number>>;

/** Topology of a machine, arranged for look-ups by CPU. */
export interface CpuLayout {
  readonly cpus: CpuSet;
  readonly places: ReadonlyMap<number, CpuPlace>;
  /** All CPUs of each part of the machine, by level and id. */
  readonly groups: Readonly<Record<CpuLevel, ReadonlyMap<number, CpuSet>>>;
  /** Average sizes, rounded down: kubelets regard all parts of one level as equal. */
  readonly averageCpus: Readonly<Record<CpuLevel, number>>;
}

/** Arranges the topology of a machine. */
export function cpuLayout({ numaNodes }: MachineTopology): CpuLayout {
  const places = new Map<number, CpuPlace>();
  for (const { id, cores } of numaNodes) {
    for (const { cpus, socket, uncoreCache = socket } of cores) {
      const place = { core: Math.min(...cpus), uncoreCache, socket, numaNode: id };
      for (const cpu of cpus) places.set(cpu, place);
    }
  }
  const cpus = new Set(places.keys());
  const group = (level: CpuLevel): ReadonlyMap<number, CpuSet> => groupCpus(places, cpus, level);
  const groups = {
    core: group('core'),
    uncoreCache: group('uncoreCache'),
    socket: group('socket'),
    numaNode: group('numaNode'),
  };
  const average = (level: CpuLevel): number => Math.floor(cpus.size / groups[level].size);
  const averageCpus = {
    core: average('core'),
    uncoreCache: average('uncoreCache'),
    socket: average('socket'),
    numaNode: average('numaNode'),
  };
  return { cpus, places, groups, averageCpus };
}

/** Groups some CPUs of a machine by the parts of a level. CPUs that the machine does not have are left out. */
export function groupCpus(
  places: ReadonlyMap<number, CpuPlace>,
  cpus: Iterable<number>,
  level: CpuLevel,
): Map<number, Set<number>> {
  const groups = new Map<number, Set<number>>();
  for (const cpu of cpus) {
    const id = places.get(cpu)?.[level];
    if (id === undefined) continue;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, new Set([cpu]));
    else group.add(cpu);
  }
  return groups;
}

/** Returns the ids of all parts of a level that these CPUs belong to. */
export function idsOf({ places }: CpuLayout, cpus: Iterable<number>, level: CpuLevel): Set<number> {
  return new Set(groupCpus(places, cpus, level).keys());
}

/** Returns the CPUs of some parts of a level. */
export function cpusOf({ groups }: CpuLayout, level: CpuLevel, ids: Iterable<number>): Set<number> {
  const cpus = new Set<number>();
  for (const id of ids) for (const cpu of groups[level].get(id) ?? []) cpus.add(cpu);
  return cpus;
}
