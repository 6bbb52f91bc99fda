import { mkdir, open } from 'node:fs/promises';
import type { HostPathMaker } from '@rxlet/agent-api/volumes';

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
