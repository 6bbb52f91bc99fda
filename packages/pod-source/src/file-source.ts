import { dirname } from 'node:path';
import type { PodSource } from '@rxlet/agent-api/sources';
import type { PodObjects } from '@rxlet/agent-api/kube';
import { type Clock, createLifetime, errorMessage, type Timer } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { type HostEntry, type HostFiles, type HostListing, systemErrorCode } from '@rxlet/node-files';
import { createLastGoodPods, type LastGoodFile } from './last-good-pods.ts';
import { createManifestDecoder } from './manifest-decoder.ts';
import { createManifestReader, type KnownFile } from './manifest-reader.ts';
import { createFolderObjects } from './objects/folder-objects.ts';
import { listManifests, type ManifestList } from './manifests/manifest-list.ts';
import { referencesKey, resolveReferences } from './objects/resolve-references.ts';
import { createQuietPeriod } from './quiet-period.ts';
import { createSourceOutputs } from './source-outputs.ts';

/** Pause after which a path that could not be listed is listed again. */
const UNAVAILABLE_RETRY_MS = 1000;
/** The folder is read when nothing in it changed for this long: a file that is being written must not be read halfway. */
const QUIET_MS = 100;
/** Limit of that wait for changes that never end. */
const MAX_QUIET_WAIT_MS = 1000;
/** Keys of problems that concern no single file. */
const SOURCE_KEY = '\0source';
const WATCH_KEY = '\0watch';
const LAST_GOOD_KEY = '\0last-good';

/** Ports of {@link createFileSource}. */
export interface FileSourcePorts {
  readonly clock: Clock;
  /** Files of the manifests. */
  readonly hostFiles: Pick<HostFiles, 'list' | 'read' | 'watch'>;
  /** File that saves the last good pod of each manifest over a restart of the agent. Default: they are lost with the agent. */
  readonly lastGoodFile?: LastGoodFile | undefined;
}

/** Options of {@link createFileSource}. */
export interface FileSourceOptions {
  /** A folder of manifests, or a single one. Give an absolute path: the UIDs of the pods depend on it. */
  readonly path: string;
  /** Flag or configuration field that the path was given by, for messages. Default: `the path`. */
  readonly pathSetting?: string | undefined;
  /** Name of this node, in lower case, as in the API server. */
  readonly nodeName: string;
  /** Period of the check that finds changes which the watch missed. Default: 20 s (`fileCheckFrequency`). */
  readonly checkPeriodMs?: number;
  /** Whether containers may be privileged. Default: true. */
  readonly allowPrivileged?: boolean;
  /**
   * Whether manifests may contain ConfigMaps and Secrets as further YAML documents, to which the pods of the folder may refer. Default: false, as in the kubelet,
   * which rejects both.
   */
  readonly documents?: boolean;
}

/** The source `file`, with the ConfigMaps and Secrets of its folder. */
export interface FileSource extends PodSource {
  readonly objects: PodObjects;
  /** Lists the files as they were last read, with their problems. */
  manifests(): ManifestList;
}

/**
 * Creates the source `file`: the static pods of a folder, one YAML or JSON manifest a file. Names with a leading dot are ignored; links are followed.
 *
 * Each pod is emitted as soon as its file is read, and goes as soon as its file goes. The source becomes ready when all files were read. A folder that does not exist
 * has no pods. Unlike the kubelet's source it keeps pods through a fault: a file without a valid pod keeps its last good one, and a folder that cannot be
 * read keeps all of them. With a `lastGoodFile` this holds over a restart of the agent too; without one, the source is not ready before the folder can be
 * read.
 *
 * @example
 * ```ts
 * import { follow } from '@rxlet/component-base/streams';
 * import { noopLogger, systemClock } from '@rxlet/component-base';
 * import { createHostFiles } from '@rxlet/node-files';
 * import { createFileSource } from '@rxlet/pod-source';
 *
 * const ports = { clock: systemClock, hostFiles: createHostFiles() };
 * await using source = createFileSource(ports, { path: '/etc/kubernetes/manifests', nodeName: 'node1' });
 * follow(source.snapshots$, { task: 'listing', logger: noopLogger, next: (pods) => console.log(pods.length) });
 * source.start();
 * ```
 */
export function createFileSource(ports: FileSourcePorts, options: FileSourceOptions): FileSource {
  const { clock, hostFiles } = ports;
  const { nodeName, checkPeriodMs = 20_000, allowPrivileged = true, pathSetting = 'the path' } = options;
  const { documents = false } = options;
  const path = options.path.replace(/(?<=.)\/+$/, '');
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const outputs = createSourceOutputs('file', lifetime);
  const { ledger } = outputs;
  const lastGood = createLastGoodPods(ports.lastGoodFile, { nodeName, allowPrivileged });
  const decoder = createManifestDecoder(clock, lifetime);
  const reader = createManifestReader(
    { hostFiles, decoder, ledger, lastGoodPod: lastGood.get },
    { nodeName, allowPrivileged, documents },
  );
  const objects = createFolderObjects();
  lifetime.defer(objects.complete);
  let files: ReadonlyMap<string, KnownFile> = new Map();
  /** Whether the path was a single file when it was last listed. */
  let isSingle = false;

  const podsByPath = (): ReadonlyMap<string, Pod> =>
    new Map([...files].flatMap(([file, { pod }]) => (pod === undefined ? [] : [[file, pod] as const])));
  const publish = (): void => {
    if (documents) {
      const resolved = resolveReferences(files, { ledger, lastGoodPod: lastGood.get });
      files = resolved.files;
      objects.set(resolved.objects, [...podsByPath().values()]);
    }
    outputs.publish([...podsByPath().values()]);
  };

  const accessLastGood = async (access: () => Promise<void>): Promise<void> => {
    try {
      await access();
      ledger.set(LAST_GOOD_KEY, [], ports.lastGoodFile?.path);
    } catch (error) {
      const problem = { reason: 'LastGoodPodsUnavailable', message: errorMessage(error) } as const;
      ledger.set(LAST_GOOD_KEY, [problem], ports.lastGoodFile?.path);
    }
  };
  /** Takes the pods of an earlier run for a folder that cannot be read. */
  const restore = (): void => {
    const paths = lastGood.paths().filter((file) => file === path || dirname(file) === path);
    // No file has this version, so each is read as soon as possible.
    const pods = paths.flatMap((file) => {
      const pod = lastGood.get(file);
      return pod === undefined ? [] : [[file, { version: '', pod, objects: [] }] as const];
    });
    files = new Map(pods);
  };

  let watched: { readonly identity: string; readonly watch: Disposable } | undefined;
  const endWatch = (): void => {
    watched?.watch[Symbol.dispose]();
    watched = undefined;
  };
  /** @returns whether a watch began. */
  const rewatch = (identity: string): boolean => {
    if (watched?.identity === identity) return false;
    endWatch();
    const onEnd = (error: unknown): void => {
      watched = undefined;
      const effect = `changes are found every ${String(checkPeriodMs / 1000)} s only`;
      const message = `cannot watch ${path}: ${errorMessage(error)}; ${effect} (fs.inotify.max_user_watches may be too low)`;
      ledger.set(WATCH_KEY, [{ reason: 'NotWatched', message }], path);
      ledger.flush();
    };
    try {
      const observer = { onChange: () => quiet.touch(), onPlaced: readPlaced, onRemoved: drop, onEnd };
      watched = { identity, watch: hostFiles.watch(path, observer) };
    } catch (error) {
      onEnd(error);
      return false;
    }
    ledger.set(WATCH_KEY, [], path);
    return true;
  };

  const onUnavailable = (error: unknown): void => {
    if (isMissing(error)) {
      // Another folder that takes its place must be watched anew; until then this watch may report that it comes.
      if (watched !== undefined) watched = { ...watched, identity: '' };
      files = new Map();
      ledger.keepOnly(new Set([SOURCE_KEY, WATCH_KEY, LAST_GOOD_KEY]));
      publish();
    } else if (outputs.published() === undefined) {
      restore();
      if (files.size > 0) publish();
    }
    const kept = files.size > 0 ? '; its pods are kept' : '';
    const message = `${describeUnavailable(path, pathSetting, error)}${kept}`;
    ledger.set(SOURCE_KEY, [{ reason: 'SourceUnavailable', message }], path);
  };

  /** Files that were removed since the current reading began. Those that are there again are read when the folder is quiet. */
  const removed = new Set<string>();
  const withoutRemoved = (read: ReadonlyMap<string, KnownFile>): ReadonlyMap<string, KnownFile> =>
    new Map([...read].filter(([file]) => !removed.has(file)));
  const upsert = (pod: Pod): void => {
    if (!removed.has(reader.manifestOf(pod) ?? '')) outputs.upsert(pod);
  };
  /** Takes the pod of a removed file away at once: a file that is written anew is another one, whose pod starts anew. */
  const drop = (file: string): void => {
    removed.add(file);
    placed.delete(file);
    if (signal.aborted || outputs.published() === undefined || files.get(file)?.pod === undefined) return;
    files = withoutRemoved(files);
    publish();
  };

  /** Reads the folder. @returns whether it could be listed */
  const readAll = async (): Promise<boolean> => {
    removed.clear();
    let listing: HostListing;
    try {
      listing = await hostFiles.list(path);
      // A change between the listing and the start of the watch would be found late.
      if (!signal.aborted && rewatch(listing.identity)) listing = await hostFiles.list(path);
    } catch (error) {
      onUnavailable(error);
      return false;
    }
    ledger.set(SOURCE_KEY, [], path);
    isSingle = listing.kind === 'file';
    const entries = listing.entries.filter(isManifest);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const read = await reader.read(entries, files, upsert);
    if (signal.aborted) return true;
    files = withoutRemoved(read);
    const paths = entries.flatMap((entry) => [entry.path, referencesKey(entry.path)]);
    ledger.keepOnly(new Set([SOURCE_KEY, WATCH_KEY, LAST_GOOD_KEY, ...paths]));
    publish();
    lastGood.forget();
    return true;
  };
  const isManifest = ({ name }: HostEntry): boolean => isSingle || !name.startsWith('.');

  let isReading = false;
  let readAgain = false;
  let nextCheck: Timer | undefined;
  /** Complete files that have come into place since the last reading, in their order. */
  const placed = new Map<string, HostEntry>();
  const readPlacedFiles = async (): Promise<void> => {
    while (placed.size > 0 && !signal.aborted) {
      const entries = [...placed.values()];
      placed.clear();
      removed.clear();
      const read = withoutRemoved(await reader.read(entries, files, upsert));
      if (signal.aborted || read.size === 0) continue;
      files = new Map([...files, ...read].sort(([a], [b]) => (a < b ? -1 : 1)));
      // Some files are no complete set.
      if (outputs.published() !== undefined) publish();
      ledger.flush();
    }
  };
  const readRepeatedly = async (): Promise<void> => {
    if (isReading || signal.aborted) {
      readAgain = true;
      return;
    }
    isReading = true;
    nextCheck?.[Symbol.dispose]();
    let available: boolean;
    do {
      readAgain = false;
      available = await readAll();
      ledger.flush();
      if (!signal.aborted) await accessLastGood(() => lastGood.save(podsByPath()));
      ledger.flush();
      await readPlacedFiles();
    } while (readAgain && !signal.aborted);
    isReading = false;
    if (signal.aborted) return;
    const pauseMs = available ? checkPeriodMs : Math.min(UNAVAILABLE_RETRY_MS, checkPeriodMs);
    nextCheck = clock.setTimer(pauseMs, startReading);
  };
  const startReading = (): void => void lifetime.track(readRepeatedly());
  const quiet = createQuietPeriod(clock, QUIET_MS, MAX_QUIET_WAIT_MS, startReading);

  /**
   * Reads a file that is complete without waiting for a quiet folder, which is read as well after that. None is left out while others are read: a pod may refer to an
   * object that has come before it.
   */
  const readPlaced = (entry: HostEntry): void => {
    if (signal.aborted || !isManifest(entry) || (isSingle && entry.path !== path)) return;
    placed.set(entry.path, entry);
    if (isReading) return;
    isReading = true;
    const readThem = async (): Promise<void> => {
      await readPlacedFiles();
      isReading = false;
      if (readAgain) await readRepeatedly();
    };
    void lifetime.track(readThem());
  };

  lifetime.defer(() => nextCheck?.[Symbol.dispose]());
  lifetime.defer(() => quiet[Symbol.dispose]());
  lifetime.defer(endWatch);

  const begin = async (): Promise<void> => {
    await accessLastGood(lastGood.load);
    ledger.flush();
    await readRepeatedly();
  };
  return {
    ...outputs.source(() => void lifetime.track(begin()), reader.manifestOf),
    objects,
    manifests: () =>
      listManifests({ path, isSingleFile: isSingle, hasDocuments: documents }, files, ledger.problems.value),
  };
}

function isMissing(error: unknown): boolean {
  return systemErrorCode(error) === 'ENOENT';
}

function describeUnavailable(path: string, setting: string, error: unknown): string {
  if (isMissing(error)) return `${path} does not exist and has no pods; create it, or correct ${setting}`;
  switch (systemErrorCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return `cannot read ${path}: permission denied; change its permissions, or run as another user`;
    default:
      return `cannot read ${path}: ${errorMessage(error)}; it is retried every second`;
  }
}
