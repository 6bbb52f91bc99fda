import { createKeyedExecutor } from '@rxlet/component-base';
import { type NodeFiles, pathElement } from '@rxlet/node-files';

/**
 * The pods of the cache that may start without the API server: each has an empty file. The file is removed before the end of the pod is reported, which also a full
 * disk allows, unlike a new version of the cache.
 */
export interface StartablePods {
  /** Returns the UIDs of the pods. */
  load(): Promise<ReadonlySet<string>>;
  /** Removes the pods that may not start any more. Once the promise resolves, they do not start again, even after a loss of power. */
  withdraw(): Promise<void>;
  /** Adds the pods that may start, after withdrawing others. They are on disk once the promise resolves. */
  update(): Promise<void>;
}

/** Options of {@link createStartablePods}. */
export interface StartablePodsOptions {
  readonly directory: string;
  /** Returns the UIDs of the pods that may start, now. */
  readonly startable: () => ReadonlySet<string>;
}

/** Creates {@link StartablePods}. */
export function createStartablePods(files: NodeFiles, { directory, startable }: StartablePodsOptions): StartablePods {
  /** Whether the file of a pod was written, by UID. One whose writing failed may exist nevertheless. */
  const onDisk = new Map<string, boolean>();
  let hasUnsyncedRemovals = false;
  const executor = createKeyedExecutor();
  let waiting: Promise<void> | undefined;

  const fileOf = (uid: string): string => `${directory}/${pathElement(uid)}`;
  const sync = async (): Promise<void> => {
    await using handle = await files.openDirectory(directory);
    await handle?.sync();
  };
  const removeOthers = async (): Promise<void> => {
    waiting = undefined;
    const uids = startable();
    for (const uid of [...onDisk.keys()].filter((known) => !uids.has(known))) {
      hasUnsyncedRemovals = true;
      await files.removeFile(fileOf(uid));
      onDisk.delete(uid);
    }
    if (!hasUnsyncedRemovals) return;
    await sync();
    hasUnsyncedRemovals = false;
  };
  const addMissing = async (): Promise<void> => {
    const missing = [...startable()].filter((uid) => onDisk.get(uid) !== true);
    if (missing.length === 0) return;
    await files.makeDirectory(directory, 0o700);
    for (const uid of missing) {
      const file = fileOf(uid);
      onDisk.set(uid, false);
      await files.writeFile(file, '', 0o600);
      onDisk.set(uid, true);
    }
    await sync();
  };
  const withdraw = (): Promise<void> => (waiting ??= executor.run(directory, removeOthers));

  return {
    async load() {
      for (const uid of await files.list(directory)) onDisk.set(uid, true);
      return new Set(onDisk.keys());
    },
    withdraw,
    async update() {
      await withdraw();
      await executor.run(directory, addMissing);
    },
  };
}
