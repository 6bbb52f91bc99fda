import { type Clock, errorMessage, type Logger, noopLogger } from '@rxlet/component-base';
import type { ResourceRequirements } from '@rxlet/kube-api';
import type { ActuatedResources } from '../compute/container-resize.ts';
import type { FileSystem } from '../files/file-system.ts';
import { formatActuatedCheckpoint, parseActuatedCheckpoint } from './actuated-checkpoint.ts';

/** What {@link createActuatedResources} needs. */
export interface ActuatedResourcesPorts {
  readonly files: Pick<FileSystem, 'makeDirectory' | 'readTail' | 'replaceFile'>;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** Options of {@link createActuatedResources}. */
export interface ActuatedResourcesOptions {
  /** The agent's root directory; the file in it is `actuated_pods_state`, as with a kubelet, which can take it over and the other way round. */
  readonly rootDirectory: string;
}

/**
 * The resources that were last put into effect, of all pods (KEP-1287): what a resize is measured against.
 *
 * Kept in memory and written to a file behind: at once, but at most each second, so that a hundred pods that start cost one write; what comes in between waits for the
 * next change, or for {@link retain}. Somebody who waits for {@link saved} need not wait for that; writes never overlap, and all changes until the beginning
 * of one are in it. A container whose record did not get to the disk before a crash has none afterwards, which does no harm: `recoverActuated` makes one from
 * what the runtime reports. A record of other resources than the container has would do harm, as the container might be restarted for it. So whoever changes
 * a record waits for {@link saved}.
 */
export interface ActuatedResourcesStore extends AsyncDisposable {
  /** Reads the file, the first time. To be awaited before anything else. A file that cannot be used is as good as none. */
  load(): Promise<void>;
  /** What is on record of a pod. */
  of(uid: string): ActuatedResources;
  /** Sets a container's record. @returns whether there was none, another, or the same. */
  setContainer(uid: string, name: string, resources: ResourceRequirements): 'new' | 'changed' | 'same';
  /** Sets the record of the pod as a whole. */
  setPod(uid: string, resources: ResourceRequirements): void;
  /** Removes the records of a pod. */
  removePod(uid: string): void;
  /** Removes the records of all pods but those to keep, and writes what was not written yet. To be called from time to time. */
  retain(isKept: (uid: string) => boolean): void;
  /** Resolves when all that was set so far is on the disk. Rejects when it could not be written; a later change, or call, tries again. */
  saved(): Promise<void>;
}

/** Far more than the records of as many pods as a node can have. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const WRITE_INTERVAL_MS = 1000;
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o750;

interface MutableRecord {
  readonly containers: Map<string, ResourceRequirements>;
  pod: ResourceRequirements | undefined;
}

/** Creates an {@link ActuatedResourcesStore}; it does nothing before {@link ActuatedResourcesStore.load}. Disposing it waits for what is still to be written. */
export function createActuatedResources(
  { files, clock, logger = noopLogger }: ActuatedResourcesPorts,
  { rootDirectory }: ActuatedResourcesOptions,
): ActuatedResourcesStore {
  const path = `${rootDirectory}/actuated_pods_state`;
  const records = new Map<string, MutableRecord>();
  let loading: Promise<void> | undefined;
  let version = 0;
  let savedVersion = 0;
  let writing: Promise<void> | undefined;
  let lastWriteMs = -Infinity;
  let failing = false;

  const read = async (): Promise<void> => {
    try {
      const content = await files.readTail(path, MAX_FILE_BYTES);
      if (content === undefined) return;
      for (const [uid, { containers, pod }] of parseActuatedCheckpoint(Buffer.from(content).toString())) {
        records.set(uid, { containers: new Map(containers), pod });
      }
    } catch (error) {
      logger.warn('the file of actuated resources cannot be used; what containers have is taken from the runtime', {
        path,
        error: errorMessage(error),
      });
    }
  };

  const write = async (): Promise<void> => {
    const writtenVersion = version;
    lastWriteMs = clock.monotonicNow();
    try {
      await files.makeDirectory(rootDirectory, DIRECTORY_MODE);
      await files.replaceFile(path, formatActuatedCheckpoint(records), FILE_MODE);
      savedVersion = writtenVersion;
      failing = false;
    } catch (error) {
      // A disk that is full stays so for a while.
      if (!failing) logger.error('cannot write actuated resources', { path, error: errorMessage(error) });
      failing = true;
      throw new Error(`cannot write ${path}: ${errorMessage(error)}`, { cause: error });
    } finally {
      writing = undefined;
    }
  };
  const saved = async (): Promise<void> => {
    const wanted = version;
    while (savedVersion < wanted) await (writing ??= write());
  };
  const writeIfDue = (): void => {
    if (savedVersion === version || clock.monotonicNow() - lastWriteMs < WRITE_INTERVAL_MS) return;
    // A failure is logged, and comes to those who wait; the next change tries again.
    void saved().catch(() => undefined);
  };
  const changed = (): void => {
    version++;
    writeIfDue();
  };

  const recordOf = (uid: string): MutableRecord => {
    const record = records.get(uid) ?? { containers: new Map(), pod: undefined };
    records.set(uid, record);
    return record;
  };
  const removePod = (uid: string): void => {
    if (records.delete(uid)) changed();
  };
  return {
    load: () => (loading ??= read()),
    of: (uid) => records.get(uid) ?? { containers: new Map() },
    setContainer(uid, name, resources) {
      const { containers } = recordOf(uid);
      const before = containers.get(name);
      if (before !== undefined && same(before, resources)) return 'same';
      containers.set(name, resources);
      changed();
      return before === undefined ? 'new' : 'changed';
    },
    setPod(uid, resources) {
      const record = recordOf(uid);
      if (record.pod !== undefined && same(record.pod, resources)) return;
      record.pod = resources;
      changed();
    },
    removePod,
    retain(isKept) {
      for (const uid of [...records.keys()]) if (!isKept(uid)) removePod(uid);
      writeIfDue();
    },
    saved,
    async [Symbol.asyncDispose]() {
      await loading;
      await saved().catch(() => undefined);
    },
  };
}

function same(a: ResourceRequirements, b: ResourceRequirements): boolean {
  return sameList(a.limits, b.limits) && sameList(a.requests, b.requests);
}

function sameList(a: ResourceRequirements['limits'] = {}, b: ResourceRequirements['limits'] = {}): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
