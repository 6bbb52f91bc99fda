import { mkdir, open } from 'node:fs/promises';

/** Creates what a hostPath volume of type `DirectoryOrCreate` or `FileOrCreate` lacks. The path is anywhere on the host, as its author wants it. */
export interface HostPathMaker {
  /** Creates a directory of mode 0755 and its missing parents. */
  makeDirectory(path: string): Promise<void>;
  /** Creates an empty file of mode 0644. Its directory must exist. */
  makeFile(path: string): Promise<void>;
}

/** Creates a {@link HostPathMaker} for the node's disks. */
export function createHostPathMaker(): HostPathMaker {
  return {
    async makeDirectory(path) {
      await mkdir(path, { recursive: true, mode: 0o755 });
    },
    async makeFile(path) {
      await (await open(path, 'a', 0o644)).close();
    },
  };
}
