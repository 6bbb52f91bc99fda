import type { CgroupController, CgroupFormat, CgroupWrite } from '../values/cgroup-writes.ts';

/**
 * Port to the cgroups of a node. A cgroup is named by its absolute path below the root of the cgroup file system, such as `/kubepods/burstable`; with cgroup v1 it
 * is the directory of that path in every mounted hierarchy.
 */
export interface CgroupFileSystem {
  readonly format: CgroupFormat;
  /** Controllers that are available, of those whose files the agent writes. */
  readonly controllers: ReadonlySet<CgroupController>;
  /** Reports whether the cgroup exists with all its controllers. */
  exists(path: string): Promise<boolean>;
  /** Creates a cgroup with its missing parents, so that processes can be moved to it. Succeeds when it exists. */
  create(path: string): Promise<void>;
  /** Writes a value. Rejects with ENOENT when the cgroup or the file does not exist. */
  write(path: string, write: Omit<CgroupWrite, 'optional'>): Promise<void>;
  /** Reads a value, without the line break at its end; `undefined` when the cgroup or the file does not exist. */
  read(path: string, controller: CgroupController, file: string): Promise<string | undefined>;
  /** Returns the names of the cgroups directly in a cgroup; none when it does not exist. */
  children(path: string): Promise<readonly string[]>;
  /** Returns the processes directly in a cgroup; none when it does not exist. */
  processes(path: string): Promise<readonly number[]>;
  /** Moves a process to a cgroup. Succeeds when the process has ended. */
  addProcess(path: string, pid: number): Promise<void>;
  /** Sends SIGKILL to the processes of a cgroup, those of nested ones included. Returns the number of processes that were there. */
  kill(path: string): Promise<number>;
  /** Removes a cgroup without processes and children. Succeeds when it does not exist. Rejects with EBUSY while a process has not ended entirely. */
  remove(path: string): Promise<void>;
}

/** Opens the cgroups of the node. @throws CgroupsUnavailable */
export type OpenCgroups = () => Promise<CgroupFileSystem>;

/** The node has no cgroups that the agent can manage. */
export class CgroupsUnavailable extends Error {
  override readonly name = 'CgroupsUnavailable';
}
