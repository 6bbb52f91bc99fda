/** Numbers of CPUs, or of NUMA nodes. */
export type CpuSet = ReadonlySet<number>;

/** No machine has more CPUs. The limit keeps a range such as `0-999999999` from filling the memory. */
const MAX_CPUS = 1_000_000;

/** Parses a list of CPUs such as `0-3,7`, as the kernel and kubelets write it; `undefined` for any other text. The empty text is the empty set. */
export function parseCpuSet(text: string): CpuSet | undefined {
  const cpus = new Set<number>();
  if (text === '') return cpus;
  for (const part of text.split(',')) {
    const match = /^\+?(\d+)(?:-\+?(\d+))?$/.exec(part);
    if (match === null) return undefined;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (last < first || last >= MAX_CPUS) return undefined;
    for (let cpu = first; cpu <= last; cpu += 1) cpus.add(cpu);
  }
  return cpus;
}

/** Formats a set as a list such as `0-3,7`. */
export function formatCpuSet(cpus: Iterable<number>): string {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const cpu of sortedCpus(cpus)) {
    const range = ranges.at(-1);
    if (range?.last === cpu - 1) range.last = cpu;
    else ranges.push({ first: cpu, last: cpu });
  }
  return ranges
    .map(({ first, last }) => (first === last ? String(first) : `${String(first)}-${String(last)}`))
    .join(',');
}

/** Returns the numbers of a set in ascending order. */
export function sortedCpus(cpus: Iterable<number>): number[] {
  return [...cpus].sort((left, right) => left - right);
}

/** Reports whether two sets have the same members. */
export function isSameCpuSet(left: CpuSet, right: CpuSet): boolean {
  return left.size === right.size && left.isSubsetOf(right);
}
