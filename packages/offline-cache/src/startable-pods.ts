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
  const onDisk = new Set<string>();
  const executor = createKeyedExecutor();
  let waiting: Promise<void> | undefined;

  const sync = async (): Promise<void> => {
    await using handle = await files.openDirectory(directory);
    await handle?.sync();
  };
  const removeOthers = async (): Promise<void> => {
    waiting = undefined;
    const uids = startable();
    const others = [...onDisk].filter((uid) => !uids.has(uid));
    for (const uid of others) {
      await files.removeFile(`${directory}/${uid}`);
      onDisk.delete(uid);
    }
    if (others.length > 0) await sync();
  };
  const addMissing = async (): Promise<void> => {
    const missing = [...startable()].filter((uid) => !onDisk.has(uid));
    if (missing.length === 0) return;
    await files.makeDirectory(directory, 0o700);
    for (const uid of missing) {
      onDisk.add(uid);
      await files.writeFile(`${directory}/${pathElement(uid)}`, '', 0o600);
    }
    await sync();
  };
  const withdraw = (): Promise<void> => (waiting ??= executor.run(directory, removeOthers));

  return {
    async load() {
      for (const uid of await files.list(directory)) onDisk.add(uid);
      return new Set(onDisk);
    },
    withdraw,
    async update() {
      await withdraw();
      await executor.run(directory, addMissing);
    },
  };
}
