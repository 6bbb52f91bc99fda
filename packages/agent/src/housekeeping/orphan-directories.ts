import { errorMessage, type Logger } from '@rxlet/component-base';
import type { NodeFiles } from '@rxlet/node-files';
import { removePodDirectory } from '@rxlet/runtime-manager';

/** Ports of {@link createOrphanDirectories}. */
export interface OrphanDirectoriesPorts {
  readonly files: Pick<NodeFiles, 'list' | 'removeTree' | 'removeFile' | 'removeEmptyDirectory'>;
  readonly logger: Logger;
  /** Reports whether a pod's directory may still be needed: the pod is desired, has a worker, or runs. */
  readonly isKnown: (podUid: string) => boolean;
}

/** Removal of the directories of orphaned pods, as left by an agent that died between two steps. */
export interface OrphanDirectories {
  /**
   * Removes the directories. Contents that the agent did not create are kept. They are logged once, by the second call that finds them, because modules remove their own
   * contents, such as volumes, at the same time.
   */
  remove(signal: AbortSignal): Promise<void>;
}

/** Creates {@link OrphanDirectories} for the pods below `<rootDirectory>/pods`. */
export function createOrphanDirectories(ports: OrphanDirectoriesPorts, rootDirectory: string): OrphanDirectories {
  const { files, logger, isKnown } = ports;
  const parent = `${rootDirectory}/pods`;
  /** Problem of each directory that cannot be removed, and the number of calls that found it. */
  let problems = new Map<string, { readonly problem: string; readonly calls: number }>();

  /** Removes one directory. @returns the problem if it cannot be removed */
  const removeOne = async (uid: string): Promise<string | undefined> => {
    const path = `${parent}/${uid}`;
    try {
      const isGone = await removePodDirectory(files, path);
      if (isGone || isKnown(uid)) return undefined;
      const names = (await files.list(path)).join(', ');
      return `cannot remove ${path} of a pod that is gone: it has contents that this agent did not create (${names}); unmount or remove them manually`;
    } catch (error) {
      return `cannot remove ${path} of a pod that is gone: ${errorMessage(error)}; remove it manually if this persists`;
    }
  };

  return {
    async remove(signal) {
      const next: typeof problems = new Map();
      for (const uid of await files.list(parent)) {
        if (signal.aborted) return;
        // Checked right before each removal: a pod may have been added during the one before.
        const problem = isKnown(uid) ? undefined : await removeOne(uid);
        if (problem === undefined) continue;
        const before = problems.get(uid);
        const calls = before?.problem === problem ? before.calls + 1 : 1;
        next.set(uid, { problem, calls });
        if (calls === 2) logger.warn(problem, { podUid: uid });
      }
      problems = next;
    },
  };
}
