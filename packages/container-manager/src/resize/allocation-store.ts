import { type Clock, errorMessage, type Logger, type Timer } from '@rxlet/component-base';
import type { NodeFiles } from '@rxlet/node-files';
import { formatResourcesCheckpoint, parseResourcesCheckpoint, type PodResourcesRecord } from '@rxlet/pod-model/resize';

/** Dependencies of {@link createAllocationStore}. */
export interface AllocationStorePorts {
  readonly files: Pick<NodeFiles, 'makeDirectory' | 'readPrivate' | 'replaceFile'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Allocations of all pods, in memory and in a file that agent and kubelet can read of each other. */
export interface AllocationStore extends AsyncDisposable {
  /** Reads the file. A file that cannot be read is logged, and counts as empty. */
  load(): Promise<void>;
  get(podUid: string): PodResourcesRecord | undefined;
  set(podUid: string, resources: PodResourcesRecord): void;
  /** Removes the allocations of all pods except those to keep. */
  retain(isKept: (podUid: string) => boolean): void;
  /** Writes the changes so far; a failure is logged, and the next change retries. Without a call they are written within a second. */
  flush(): Promise<void>;
}

/** A hundred pods that start together cost one write. An allocation that is lost in a crash equals the desired resources, unless a resize waits. */
const WRITE_DELAY_MS = 1000;
/** Pause between two writes, in multiples of the time that the text takes: the file has all pods, so that on a large node each write takes long. */
const PAUSE_FACTOR = 100;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o750;

/** Creates an {@link AllocationStore} for the file `allocated_pods_state` in the agent's root directory. Disposal writes pending changes. */
export function createAllocationStore(
  { files, clock, logger }: AllocationStorePorts,
  rootDirectory: string,
): AllocationStore {
  const path = `${rootDirectory}/allocated_pods_state`;
  let records = new Map<string, PodResourcesRecord>();
  let isDirty = false;
  let writing: Promise<void> | undefined;
  let timer: Timer | undefined;
  let formatMs = 0;

  const format = (): string => {
    const beganMs = clock.monotonicNow();
    const text = formatResourcesCheckpoint(records);
    formatMs = clock.monotonicNow() - beganMs;
    return text;
  };
  const writeAll = async (): Promise<void> => {
    // Changes that come during a write share the next one.
    while (isDirty) {
      isDirty = false;
      try {
        await files.makeDirectory(rootDirectory, DIRECTORY_MODE);
        await files.replaceFile(path, format(), FILE_MODE);
      } catch (error) {
        logger.error('cannot write allocated resources', { path, error: errorMessage(error) });
      }
    }
    writing = undefined;
  };
  const flush = async (): Promise<void> => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (isDirty) await (writing ??= writeAll());
  };
  const changed = (): void => {
    isDirty = true;
    timer ??= clock.setTimer(Math.max(WRITE_DELAY_MS, PAUSE_FACTOR * formatMs), () => void flush());
  };

  return {
    async load() {
      try {
        const text = await files.readPrivate(path, MAX_FILE_BYTES);
        if (text !== undefined) records = parseResourcesCheckpoint(text);
      } catch (error) {
        logger.warn('cannot read allocated resources; those of the last statuses count as allocated', {
          path,
          error: errorMessage(error),
        });
      }
    },
    get: (podUid) => records.get(podUid),
    set(podUid, resources) {
      records.set(podUid, resources);
      changed();
    },
    retain(isKept) {
      const removed = [...records.keys()].filter((podUid) => !isKept(podUid));
      for (const podUid of removed) records.delete(podUid);
      if (removed.length > 0) changed();
    },
    flush,
    [Symbol.asyncDispose]: flush,
  };
}
