import type { TestNode } from '@rxlet/testing';

/** Time after which a kernel has written out content that was not synced. */
const WRITE_BACK_MS = 30_000;

/** Contents of files that a loss of power takes away, since no writer has waited until they were on disk. */
export interface PageCache {
  /** Empties the files that were written in place within the last 30 s. */
  lose(): void;
}

/** Creates the {@link PageCache} of a node. */
export function createPageCache({ clock, files }: TestNode): PageCache {
  const unsynced = new Map<string, number>();
  const { writeFile } = files.nodeFiles;
  files.nodeFiles.writeFile = async (path, content, mode) => {
    await writeFile(path, content, mode);
    unsynced.set(path, clock.monotonicNow());
  };
  return {
    lose() {
      for (const [path, writtenMs] of unsynced)
        if (clock.monotonicNow() - writtenMs < WRITE_BACK_MS && files.bytes(path) !== undefined) files.truncate(path);
      unsynced.clear();
    },
  };
}
