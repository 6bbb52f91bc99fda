import { readdir, readFile } from 'node:fs/promises';

const NANOSECONDS_PER_TICK = 10_000_000;
const PAGE_BYTES = 4096;

/** CPU time and memory of a process group. */
export interface GroupUse {
  readonly cpuNanoseconds: number;
  readonly workingSetBytes: number;
}

/** Measures the processes of each group. CPU time of processes that have ended counts with their parents. */
export async function measureGroups(groupIds: ReadonlySet<number>): Promise<ReadonlyMap<number, GroupUse>> {
  const uses = new Map<number, GroupUse>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    // A process may end meanwhile.
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [groupId, rssPages] = [fields[2] ?? 0, fields[21] ?? 0];
    if (!groupIds.has(groupId)) continue;
    const ticks = fields.slice(11, 15).reduce((sum, count) => sum + count, 0);
    const { cpuNanoseconds, workingSetBytes } = uses.get(groupId) ?? { cpuNanoseconds: 0, workingSetBytes: 0 };
    uses.set(groupId, {
      cpuNanoseconds: cpuNanoseconds + ticks * NANOSECONDS_PER_TICK,
      workingSetBytes: workingSetBytes + rssPages * PAGE_BYTES,
    });
  }
  return uses;
}
