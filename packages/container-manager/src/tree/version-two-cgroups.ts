import { dirname, join } from 'node:path';
import { systemErrorCode } from '@rxlet/node-files';
import type { CgroupController, HugePageSize } from '../values/cgroup-writes.ts';
import { type CgroupFileSystem, CgroupsUnavailable } from './cgroup-file-system.ts';
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

/** Opens cgroup v2. @throws CgroupsUnavailable when it is not mounted or not writable */
export async function versionTwoCgroups(
  root: string | undefined,
  hugePageSizes: readonly HugePageSize[],
): Promise<CgroupFileSystem> {
  if (root === undefined) throw new CgroupsUnavailable('no cgroup file system is mounted');
  await requireWritable(root);
  const available = await controllersOf(root, '/');
  const controllers = CONTROLLERS.filter((controller) => available.has(controller));
  /** Cgroups whose children have the controllers. */
  const delegating = new Set<string>();

  /** Gives the children of a cgroup and of all above it the controllers. */
  const delegate = async (path: string): Promise<void> => {
    if (delegating.has(path)) return;
    if (path !== '/') await delegate(dirname(path));
    const file = join(root, path, 'cgroup.subtree_control');
    const enabled = new Set(((await readKernelFile(file)) ?? '').split(' '));
    for (const controller of controllers) if (!enabled.has(controller)) await writeKernelFile(file, `+${controller}`);
    delegating.add(path);
  };

  const create = async (path: string): Promise<void> => {
    if (path === '/') return;
    try {
      await makeCgroup(join(root, path));
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
      await create(dirname(path));
      await makeCgroup(join(root, path));
    }
    await delegate(dirname(path));
  };

  return {
    format: { version: 2, hugePageSizes },
    controllers: new Set(controllers),
    async exists(path) {
      const present = await controllersOf(root, path);
      return controllers.every((controller) => present.has(controller));
    },
    create,
    write: (path, { file, content }) => writeKernelFile(join(root, path, file), content),
    read: (path, _controller, file) => readKernelFile(join(root, path, file)),
    children: (path) => listCgroups(join(root, path)),
    processes: (path) => listOwnProcesses(join(root, path)),
    addProcess: (path, pid) => moveProcess(join(root, path), pid),
    async kill(path) {
      const pids = new Set(await listProcesses(join(root, path)));
      if (pids.size === 0) return 0;
      try {
        // Also kills processes that are being forked.
        await writeKernelFile(join(root, path, 'cgroup.kill'), '1');
      } catch (error) {
        // Before Linux 5.14.
        if (systemErrorCode(error) !== 'ENOENT') throw error;
        killProcesses(pids);
      }
      return pids.size;
    },
    async remove(path) {
      delegating.delete(path);
      await removeCgroup(join(root, path));
    },
  };
}

async function controllersOf(root: string, path: string): Promise<ReadonlySet<string>> {
  return new Set(((await readKernelFile(join(root, path, 'cgroup.controllers'))) ?? '').split(' '));
}
