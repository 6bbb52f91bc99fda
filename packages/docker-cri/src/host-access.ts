import { statfs } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { connectInNamespace, connectOnHost } from './exec/connect-in-namespace.ts';

/** Access to the node besides its files. */
export interface HostAccess {
  /** Kills a process of the host. Does nothing when it has ended. */
  killProcess(pid: number): void;
  /** Returns the number of inodes in use on the file system of a path. */
  usedInodes(path: string): Promise<bigint>;
  /** Connects to a port of localhost in the network namespace of a process. */
  connectInNamespace(pid: number, port: number): Promise<Duplex>;
  /** Connects to a port of localhost on the host. */
  connectOnHost(port: number): Promise<Duplex>;
}

/** Creates {@link HostAccess} on this machine. */
export function createHostAccess(): HostAccess {
  return {
    connectInNamespace,
    connectOnHost,
    killProcess(pid) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    },
    async usedInodes(path) {
      const { files, ffree } = await statfs(path, { bigint: true });
      return files - ffree;
    },
  };
}
