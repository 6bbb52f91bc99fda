import { type Clock, errorMessage, type Logger, noopLogger } from '@rxlet/component-base';
import type { ResourceRequirements } from '@rxlet/kube-api';
import type { NodeFiles } from '@rxlet/node-files';
import { formatResourcesCheckpoint, parseResourcesCheckpoint } from '@rxlet/pod-model/resize';
import type { ActuatedResources } from '../compute/container-resize.ts';

/** Ports of {@link createActuatedResources}. */
export interface ActuatedResourcesPorts {
  readonly files: Pick<NodeFiles, 'makeDirectory' | 'readPrivate' | 'replaceFile'>;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** Options of {@link createActuatedResources}. */
export interface ActuatedResourcesOptions {
  /** The agent's root directory. The file in it is `actuated_pods_state`; agent and kubelet can read each other's. */
  readonly rootDirectory: string;
}

/**
 * Store of the resources of all pods that were last put into effect (KEP-1287). Resizes compare desired resources with them.
 *
 * The store keeps records in memory and writes them to a file at most once a second, so that the start of a hundred pods costs one write; a change in between
 * waits for the next change or for {@link retain}. A call of {@link saved} writes at once. Writes never overlap, and each contains all changes made before it
 * began. A record that was lost in a crash does no harm: `recoverActuated` restores it from the runtime. A record that differs from the container's resources
 * would hide a change or restart the container, so a caller that changes the resources must wait for {@link forgetContainer} before, and one that replaces the record
 * of a container for {@link saved}.
 */
export interface ActuatedResourcesStore extends AsyncDisposable {
  /** Reads the file; further calls return the same promise. Must be awaited before other calls. An invalid file is logged and counts as missing. */
  load(): Promise<void>;
  /** Returns the record of a pod. */
  of(uid: string): ActuatedResources;
  /** Sets a container's record. @returns whether the record is new, changed, or the same as before */
  setContainer(uid: string, name: string, resources: ResourceRequirements): 'new' | 'changed' | 'same';
  /** Removes a container's record, because its resources are about to change. Resolves and rejects as {@link saved}. */
  forgetContainer(uid: string, name: string): Promise<void>;
  /** Records pod-level resources. */
  setPod(uid: string, resources: ResourceRequirements): void;
  /** Removes the records of a pod. */
  removePod(uid: string): void;
  /** Removes the records of all pods except those to keep, and writes pending changes. Must be called periodically. */
  retain(isKept: (uid: string) => boolean): void;
  /** Resolves when all changes so far are on the disk. Rejects when the file cannot be written; a later change or call retries. */
  saved(): Promise<void>;
}

/** Upper bound of the file's size, far above the records of a full node. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const WRITE_INTERVAL_MS = 1000;
/** Interval of writes, in multiples of the time that the text takes: the file has all pods, so that on a large node each write takes long. */
const INTERVAL_FACTOR = 100;
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o750;

interface MutableRecord {
  readonly containers: Map<string, ResourceRequirements>;
  pod: ResourceRequirements | undefined;
}

/** Creates an {@link ActuatedResourcesStore}. Disposal writes pending changes. */
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
  let formatMs = 0;
  let failing = false;

  const read = async (): Promise<void> => {
    try {
      const content = await files.readPrivate(path, MAX_FILE_BYTES);
      if (content === undefined) return;
      for (const [uid, { containers, pod }] of parseResourcesCheckpoint(content)) {
        records.set(uid, { containers: new Map(containers), pod });
      }
    } catch (error) {
      logger.warn('cannot read actuated resources; they are recovered from the runtime', {
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
      const beganMs = clock.monotonicNow();
      const text = formatResourcesCheckpoint(records);
      formatMs = clock.monotonicNow() - beganMs;
      await files.replaceFile(path, text, FILE_MODE);
      savedVersion = writtenVersion;
      failing = false;
    } catch (error) {
      // Log once, because a full disk fails every write.
      if (!failing) logger.error('cannot write actuated resources', { path, error: errorMessage(error) });
      failing = true;
      throw new Error(`cannot write ${path}: ${errorMessage(error)}`, { cause: error });
    } finally {
      writing = undefined;
    }
  };
  const saved = async (): Promise<void> => {
    const targetVersion = version;
    while (savedVersion < targetVersion) await (writing ??= write());
  };
  const intervalMs = (): number => Math.max(WRITE_INTERVAL_MS, INTERVAL_FACTOR * formatMs);
  const writeIfDue = (): void => {
    if (savedVersion === version || clock.monotonicNow() - lastWriteMs < intervalMs()) return;
    // `write` logs the failure, and the next change retries.
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
    async forgetContainer(uid, name) {
      if (records.get(uid)?.containers.delete(name) === true) changed();
      await saved();
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
