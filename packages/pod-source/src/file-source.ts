import { dirname } from 'node:path';
import { type Clock, createLifetime, errorMessage, type Logger, noopLogger, type Timer } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { createLastGoodPods, type LastGoodFile } from './last-good-pods.ts';
import type { ManifestFolder, ManifestListing } from './manifest-folder.ts';
import { createManifestReader, type KnownFile } from './manifest-reader.ts';
import { nodeManifestFolder } from './node-manifest-folder.ts';
import type { PodSnapshotSource } from './pod-snapshot-source.ts';
import { createQuietPeriod } from './quiet-period.ts';
import { createSourceOutputs } from './source-outputs.ts';

/** A path that is missing is looked for again this often. */
const MISSING_RETRY_MS = 1000;
/** A file that is being written is left alone until nothing changed for this long … */
const QUIET_MS = 100;
/** … but changes that never end do not put off the look for longer than this. */
const MAX_QUIET_WAIT_MS = 1000;
/** Keys of the ledger for what is no file. */
const SOURCE_KEY = '\0source';
const WATCH_KEY = '\0watch';
const LAST_GOOD_KEY = '\0last-good';

/** What a file source needs. */
export interface FileSourcePorts {
  readonly clock: Clock;
  /** Default: the machine's file system. */
  readonly folder?: ManifestFolder;
  /** Keeps the last good pod of each manifest over a restart of the agent; see `nodeLastGoodFile`. Default: they end with the agent. */
  readonly lastGoodFile?: LastGoodFile | undefined;
  readonly logger?: Logger;
}

/** Options of {@link createFileSource}. */
export interface FileSourceOptions {
  /** A folder of manifests, or a single one. Give an absolute path: it is part of what the UIDs of the pods follow from. */
  readonly path: string;
  /** Name of this node, in lower case as the API server knows it. */
  readonly nodeName: string;
  /** Period of the look that finds what the watch missed. Default: 20 s (`fileCheckFrequency`). */
  readonly checkPeriodMs?: number;
  /** Whether containers may be privileged. Default: true. */
  readonly allowPrivileged?: boolean;
}

/**
 * Creates the source `file`: the static pods of a folder, one YAML or JSON manifest a file. Names with a leading dot are ignored; links are followed.
 *
 * It differs from the kubelet's in what it does when something breaks, because a slip in a file should not end a pod that runs: a file that holds no
 * valid pod any more keeps its last good one, and a folder that disappears keeps all of them. A pod goes when its file is gone from a folder that is
 * there, and that of a single file as soon as that is gone. With a `lastGoodFile` all this holds over a restart of the agent too. Without a last good pod, the source is not
 * ready before the folder exists.
 */
export function createFileSource(ports: FileSourcePorts, options: FileSourceOptions): PodSnapshotSource {
  const { clock, folder = nodeManifestFolder, logger = noopLogger } = ports;
  const { nodeName, checkPeriodMs = 20_000, allowPrivileged = true } = options;
  const path = options.path.replace(/(?<=.)\/+$/, '');
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const outputs = createSourceOutputs('file', logger, lifetime);
  const { ledger } = outputs;
  const lastGood = createLastGoodPods(ports.lastGoodFile, { nodeName, allowPrivileged });
  const reader = createManifestReader(folder, ledger, { nodeName, allowPrivileged });
  let files: ReadonlyMap<string, KnownFile> = new Map();
  /** Whether the path was a single file when it was last there. */
  let single = false;

  const podsByPath = (): ReadonlyMap<string, Pod> =>
    new Map([...files].flatMap(([file, { pod }]) => (pod === undefined ? [] : [[file, pod] as const])));
  const publish = (): void => outputs.publish([...podsByPath().values()]);

  /** What an earlier run left is what is known of the files before they are looked at. */
  const recall = async (): Promise<void> => {
    try {
      const pods = [...(await lastGood.load())].filter(([file]) => file === path || dirname(file) === path);
      // No file has this version, so each is read.
      files = new Map(pods.map(([file, pod]) => [file, { version: '', pod }]));
      single = files.has(path);
    } catch (error) {
      ledger.set(LAST_GOOD_KEY, [['NotRemembered', errorMessage(error)]], ports.lastGoodFile?.path);
    }
  };
  const remember = async (): Promise<void> => {
    try {
      await lastGood.save(podsByPath());
      ledger.set(LAST_GOOD_KEY, [], ports.lastGoodFile?.path);
    } catch (error) {
      ledger.set(LAST_GOOD_KEY, [['NotRemembered', errorMessage(error)]], ports.lastGoodFile?.path);
    }
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
    const failed = (error: unknown): void => {
      watched = undefined;
      const effect = `changes are seen every ${String(checkPeriodMs / 1000)} s only`;
      const message = `cannot watch ${path}: ${errorMessage(error)}; ${effect} (fs.inotify.max_user_watches may be too low)`;
      ledger.set(WATCH_KEY, [['NotWatched', message]], path);
    };
    try {
      watched = { identity, watch: folder.watch(path, () => quiet.touch(), failed) };
    } catch (error) {
      failed(error);
      return false;
    }
    ledger.set(WATCH_KEY, [], path);
    return true;
  };

  /** @returns whether the path could be seen. */
  const look = async (): Promise<boolean> => {
    let listing: ManifestListing;
    try {
      listing = await folder.list(path);
      // What changed between the list and the watch would be seen late.
      if (!signal.aborted && rewatch(listing.identity)) listing = await folder.list(path);
    } catch (error) {
      if (isMissing(error)) {
        // Whatever comes in its place is to be watched anew; until then this watch may tell when it comes.
        if (watched !== undefined) watched = { ...watched, identity: '' };
        if (single) files = new Map();
      }
      // What is kept of an earlier run is to be told too, and that the single file is gone.
      if (files.size > 0 || single) publish();
      const kept = outputs.published()?.length ? '; its pods are kept as they are' : '';
      ledger.set(SOURCE_KEY, [['SourceUnavailable', `${describeUnavailable(path, error)}${kept}`]], path);
      return false;
    }
    ledger.set(SOURCE_KEY, [], path);
    single = listing.kind === 'file';
    const entries = listing.entries.filter(({ name }) => single || !name.startsWith('.'));
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const known = await reader.read(entries, files);
    if (signal.aborted) return true;
    files = known;
    ledger.keepOnly(new Set([SOURCE_KEY, WATCH_KEY, LAST_GOOD_KEY, ...entries.map((entry) => entry.path)]));
    publish();
    return true;
  };

  let looking = false;
  let lookAgain = false;
  let nextLook: Timer | undefined;
  const lookRepeatedly = async (): Promise<void> => {
    if (looking || signal.aborted) {
      lookAgain = true;
      return;
    }
    looking = true;
    nextLook?.[Symbol.dispose]();
    let seen: boolean;
    do {
      lookAgain = false;
      seen = await look();
      if (!signal.aborted) await remember();
    } while (lookAgain && !signal.aborted);
    looking = false;
    if (signal.aborted) return;
    nextLook = clock.setTimer(seen ? checkPeriodMs : Math.min(MISSING_RETRY_MS, checkPeriodMs), startLook);
  };
  const startLook = (): void => void lifetime.track(lookRepeatedly());
  const quiet = createQuietPeriod(clock, QUIET_MS, MAX_QUIET_WAIT_MS, startLook);

  lifetime.defer(() => nextLook?.[Symbol.dispose]());
  lifetime.defer(() => quiet[Symbol.dispose]());
  lifetime.defer(endWatch);

  return outputs.source(() => void lifetime.track(recall().then(lookRepeatedly)));
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ENOENT';
}

function describeUnavailable(path: string, error: unknown): string {
  if (isMissing(error)) return `${path} does not exist; create it, or correct the path`;
  switch ((error as { code?: unknown }).code) {
    case 'EACCES':
    case 'EPERM':
      return `${path} may not be read by this user; change its permissions, or run as another user`;
    default:
      return `cannot look for pods in ${path}: ${errorMessage(error)}; it is tried again each second`;
  }
}
