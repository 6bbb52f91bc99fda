import { atEndOfTurn } from '@rxlet/component-base';
import type { KernelFiles } from '../cgroup/kernel-files.ts';
import type { ProcessCounts } from './cgroup-entry.ts';

/** Links that are read in one turn of the event loop. A process may have a million open files. */
const LINKS_AT_ONCE = 1000;

/** Counts the open files of processes. Those that end meanwhile do not count. */
export async function countProcesses(
  files: Pick<KernelFiles, 'list' | 'read' | 'readLink'>,
  pids: readonly number[],
): Promise<ProcessCounts> {
  let fileDescriptors = 0;
  let sockets = 0;
  for (const pid of pids) {
    const directory = `/proc/${String(pid)}/fd`;
    const names = await files.list(directory);
    fileDescriptors += names.length;
    for (const [index, name] of names.entries()) {
      if (index > 0 && index % LINKS_AT_ONCE === 0) await new Promise<void>(atEndOfTurn);
      if (files.readLink(`${directory}/${name}`)?.startsWith('socket')) sockets += 1;
    }
  }
  const [first] = pids;
  const limits = first === undefined ? '' : (files.read(`/proc/${String(first)}/limits`) ?? '');
  const soft = /^Max open files +(\S+)/m.exec(limits)?.[1];
  const maxOpenFiles = soft === undefined ? undefined : soft === 'unlimited' ? -1 : Number(soft);
  return { processes: pids.length, fileDescriptors, sockets, maxOpenFiles };
}
