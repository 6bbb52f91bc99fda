import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CgroupMounts } from '@rxlet/machine';
import { systemErrorCode } from '@rxlet/node-files';
import type { CgroupController, HugePageSize } from '../values/cgroup-writes.ts';
import type { CgroupFileSystem } from './cgroup-file-system.ts';
import {
  killProcesses,
  listCgroups,
  listOwnProcesses,
  listProcesses,
  makeCgroup,
  moveProcess,
  readKernelFile,
  removeCgroup,
  writeKernelFile,
} from './kernel-files.ts';
import { requireWritable } from './require-writable.ts';

const CONTROLLERS: readonly CgroupController[] = ['cpu', 'cpuset', 'memory', 'pids', 'hugetlb'];
/** Values of a cpuset without which no process can be moved to the cgroup. A new cgroup has none. */
const CPUSET_FILES = ['cpuset.cpus', 'cpuset.mems'];

/**
 * Opens cgroup v1. A cgroup is created in every hierarchy, also in that of cgroup v2 where it is mounted besides: the runtime puts the containers' cgroups below
 * it in all of them, and would leave parents that it created itself.
 *
 * @throws CgroupsUnavailable when a hierarchy is not writable
 */
export async function versionOneCgroups(
  { hierarchies, unified }: CgroupMounts,
  hugePageSizes: readonly HugePageSize[],
): Promise<CgroupFileSystem> {
  const roots = [...new Set([...hierarchies.values(), ...(unified === undefined ? [] : [unified])])];
  const cpuset = hierarchies.get('cpuset');
  for (const root of roots) await requireWritable(root);

  const createIn = async (root: string, path: string): Promise<void> => {
    const directory = join(root, path);
    try {
      await makeCgroup(directory);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT' || path === '/') throw error;
      await createIn(root, dirname(path));
      await makeCgroup(directory);
    }
    if (root === cpuset) await inheritCpuset(root, path);
  };

  const processes = async (path: string): Promise<ReadonlySet<number>> => {
    const lists = await Promise.all(roots.map((root) => listProcesses(join(root, path))));
    return new Set(lists.flat());
  };

  return {
    format: { version: 1, hugePageSizes },
    controllers: new Set(CONTROLLERS.filter((controller) => hierarchies.has(controller))),
    async exists(path) {
      const found = await Promise.all(roots.map((root) => isPresent(join(root, path))));
      return found.every(Boolean);
    },
    async create(path) {
      await Promise.all(roots.map((root) => createIn(root, path)));
    },
    write: (path, { controller, file, content }) =>
      writeKernelFile(join(hierarchyOf(hierarchies, controller), path, file), content),
    read: (path, controller, file) => readKernelFile(join(hierarchyOf(hierarchies, controller), path, file)),
    async children(path) {
      const lists = await Promise.all(roots.map((root) => listCgroups(join(root, path))));
      return [...new Set(lists.flat())];
    },
    processes: (path) => listOwnProcesses(join(hierarchies.get('devices') ?? hierarchyOf(hierarchies, 'cpu'), path)),
    async addProcess(path, pid) {
      for (const root of new Set(hierarchies.values())) await moveProcess(join(root, path), pid);
    },
    async kill(path) {
      const pids = await processes(path);
      killProcesses(pids);
      return pids.size;
    },
    async remove(path) {
      await Promise.all(roots.map((root) => removeCgroup(join(root, path))));
    },
  };
}

/** Copies CPUs and memory nodes from the parent unless the cgroup has some. */
async function inheritCpuset(root: string, path: string): Promise<void> {
  if (path === '/') return;
  const missing = [];
  for (const file of CPUSET_FILES) if ((await readKernelFile(join(root, path, file))) === '') missing.push(file);
  if (missing.length === 0) return;
  await inheritCpuset(root, dirname(path));
  for (const file of missing) {
    const inherited = await readKernelFile(join(root, dirname(path), file));
    if (inherited !== undefined && inherited !== '') await writeKernelFile(join(root, path, file), inherited);
  }
}

function hierarchyOf(hierarchies: ReadonlyMap<string, string>, controller: CgroupController): string {
  const root = hierarchies.get(controller);
  if (root === undefined) throw new Error(`the cgroup controller ${controller} is not mounted`);
  return root;
}

async function isPresent(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
