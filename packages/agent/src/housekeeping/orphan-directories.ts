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
   * Removes the directories. Contents that the agent did not create stay, and are logged once, with the second call that finds them: modules remove what they
   * created, such as volumes, at the same time.
   */
  remove(signal: AbortSignal): Promise<void>;
}

/** Creates {@link OrphanDirectories} for the pods below `<rootDirectory>/pods`. */
export function createOrphanDirectories(ports: OrphanDirectoriesPorts, rootDirectory: string): OrphanDirectories {
  const { files, logger, isKnown } = ports;
  const parent = `${rootDirectory}/pods`;
  /** Problem of each directory that stays, and the number of calls that found it. */
  let found = new Map<string, { readonly problem: string; readonly calls: number }>();

  /** @returns the problem, if the directory stays. */
  const removeOne = async (uid: string): Promise<string | undefined> => {
    const path = `${parent}/${uid}`;
    try {
      const isGone = await removePodDirectory(files, path);
      if (isGone || isKnown(uid)) return undefined;
      const names = (await files.list(path)).join(', ');
      return `cannot remove ${path} of a pod that is gone: it contains what this agent did not create (${names}); unmount or remove that by hand`;
    } catch (error) {
      return `cannot remove ${path} of a pod that is gone: ${errorMessage(error)}; remove it by hand if this lasts`;
    }
  };

  return {
    async remove(signal) {
      const stays: typeof found = new Map();
      for (const uid of await files.list(parent)) {
        if (signal.aborted) return;
        // Checked right before each removal: a pod may have been added during the one before.
        const problem = isKnown(uid) ? undefined : await removeOne(uid);
        if (problem === undefined) continue;
        const before = found.get(uid);
        const calls = before?.problem === problem ? before.calls + 1 : 1;
        stays.set(uid, { problem, calls });
        if (calls === 2) logger.warn(problem, { podUid: uid });
      }
      found = stays;
    },
  };
}
