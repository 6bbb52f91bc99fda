import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCgroupMounts } from '@rxlet/machine';

/** A cgroup of a test, in all hierarchies. Disposing of it removes it with what is left below; nothing may run there. */
export interface TestCgroups extends Disposable {
  /** Fields of a KubeletConfiguration, so that an agent manages cgroups below this one only. */
  readonly kubelet: {
    readonly cgroupsPerQOS: true;
    readonly enforceNodeAllocatable: string[];
    readonly cgroupRoot: string;
  };
  /** Returns the value of a file of a cgroup below this one. @param controller of cgroup v1 */
  value(controller: string, path: string, file: string): string;
  /** Moves a process to a cgroup below this one, in all hierarchies. */
  move(path: string, pid: number): void;
  /** Returns the directories of the cgroups of pods, in all hierarchies. */
  ofPods(): readonly string[];
}

let created = 0;

/** Creates one. */
export function createTestCgroups(): TestCgroups {
  const root = `rxlet-test-${String(process.pid)}-${String(++created)}`;
  const { hierarchies, unified } = parseCgroupMounts(readFileSync('/proc/self/mounts', 'utf8'));
  const mounts = [...new Set([...hierarchies.values(), ...(unified === undefined ? [] : [unified])])];
  for (const mount of mounts) mkdirSync(join(mount, root));
  const all = (): string[] => mounts.flatMap((mount) => listNested(join(mount, root)));
  return {
    kubelet: { cgroupsPerQOS: true, enforceNodeAllocatable: ['pods'], cgroupRoot: `/${root}` },
    value: (controller, path, file) =>
      readFileSync(join(hierarchies.get(controller) ?? unified!, root, path, file), 'utf8').trim(),
    move(path, pid) {
      for (const mount of mounts) writeFileSync(join(mount, root, path, 'cgroup.procs'), String(pid));
    },
    ofPods: () => all().filter((path) => path.includes('/pod')),
    [Symbol.dispose]() {
      for (const directory of all().reverse()) rmdirSync(directory);
    },
  };
}

/** Returns a directory and those below it; none of one that does not exist, or went meanwhile. */
function listNested(directory: string): string[] {
  const nested = listDirectories(directory);
  if (nested === undefined) return [];
  return [directory, ...nested.flatMap((name) => listNested(join(directory, name)))];
}

/** Returns the names of the directories in one; undefined when it does not exist. */
function listDirectories(directory: string): string[] | undefined {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
