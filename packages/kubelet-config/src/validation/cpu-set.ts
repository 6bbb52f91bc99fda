/** Parses a list of CPUs such as `0-3,7`; `undefined` when it is none. */
export function parseCpuSet(text: string): ReadonlySet<number> | undefined {
  const cpus = new Set<number>();
  if (text === '') return cpus;
  for (const part of text.split(',')) {
    const match = /^\+?(\d+)(?:-\+?(\d+))?$/.exec(part);
    if (match === null) return undefined;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    // No machine has more CPUs; a range without end would fill the memory.
    if (last < first || last >= 1_000_000) return undefined;
    for (let cpu = first; cpu <= last; cpu += 1) cpus.add(cpu);
  }
  return cpus;
}
