import { errorMessage, type Logger } from '@rxlet/component-base';
import { type FileSystem, removePodDirectory } from '@rxlet/runtime-manager';

/** What {@link createOrphanDirectories} needs. */
export interface OrphanDirectoriesPorts {
  readonly files: Pick<FileSystem, 'list' | 'removeTree' | 'removeFile' | 'removeEmptyDirectory'>;
  readonly logger: Logger;
  /** Whether a pod's directory may still be needed: a source wants it, it is being stopped, or the runtime holds something of it. */
  readonly isKnown: (podUid: string) => boolean;
}

/** The directories of pods that are gone, as after the death of an agent between two steps. */
export interface OrphanDirectories {
  /** Removes them, but nothing in them that somebody else put there: that is told of once, and left until it is gone. */
  remove(signal: AbortSignal): Promise<void>;
}

/** Creates {@link OrphanDirectories} for the pods below `<rootDirectory>/pods`. */
export function createOrphanDirectories(ports: OrphanDirectoriesPorts, rootDirectory: string): OrphanDirectories {
  const { files, logger, isKnown } = ports;
  const parent = `${rootDirectory}/pods`;
  /** What was told of each directory that stays. */
  let told = new Map<string, string>();

  /** @returns why the directory stays. */
  const removeOne = async (uid: string): Promise<string | undefined> => {
    const path = `${parent}/${uid}`;
    try {
      const isGone = await removePodDirectory(files, path);
      if (isGone || isKnown(uid)) return undefined;
      const found = (await files.list(path)).join(', ');
      return `${path} belongs to a pod that is gone, but holds what this agent did not put there (${found}); unmount or remove that by hand`;
    } catch (error) {
      return `${path} belongs to a pod that is gone, and cannot be removed: ${errorMessage(error)}; remove it by hand if this lasts`;
    }
  };

  return {
    async remove(signal) {
      const stays = new Map<string, string>();
      for (const uid of await files.list(parent)) {
        if (signal.aborted) return;
        // Asked right before each removal: a pod may have come while another's directory was removed.
        const problem = isKnown(uid) ? undefined : await removeOne(uid);
        if (problem === undefined) continue;
        stays.set(uid, problem);
        if (told.get(uid) !== problem) logger.warn(problem, { podUid: uid });
      }
      told = stays;
    },
  };
}
