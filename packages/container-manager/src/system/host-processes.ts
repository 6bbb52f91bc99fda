import { readlink } from 'node:fs/promises';
import { cgroupOfProcess } from '@rxlet/machine';
import { systemErrorCode } from '@rxlet/node-files';
import { readKernelFile } from '../tree/kernel-files.ts';

/** Port to the processes of the node. */
export interface Processes {
  /** Id of the agent's own process. */
  readonly ownPid: number;
  /** Reports whether the agent has the process ids of the node, and is not in a container with ids of its own. Rejects when it is not known. */
  hasNodePids(): Promise<boolean>;
  /** Returns the cgroup that accounts for a process; `undefined` when there is none. @throws ProcessCgroupError */
  cgroupOf(pid: number): Promise<string | undefined>;
  /** Reports whether a process belongs to the kernel, so that it cannot be moved. */
  isKernelThread(pid: number): Promise<boolean>;
}

/** Processes of this host. */
export const hostProcesses: Processes = {
  ownPid: process.pid,
  async hasNodePids() {
    const [ofInit, own] = await Promise.all([readlink('/proc/1/ns/pid'), readlink('/proc/self/ns/pid')]);
    return ofInit === own;
  },
  cgroupOf: async (pid) => cgroupOfProcess((await readKernelFile(`/proc/${String(pid)}/cgroup`)) ?? ''),
  async isKernelThread(pid) {
    try {
      await readlink(`/proc/${String(pid)}/exe`);
      return false;
    } catch (error) {
      return systemErrorCode(error) === 'ENOENT';
    }
  },
};
