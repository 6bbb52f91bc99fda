import { isDeepStrictEqual } from 'node:util';
import { createSemaphore, errorMessage } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { decodeManifest } from './decode-manifest.ts';
import { ManifestError } from './manifest-error.ts';
import { type ManifestEntry, ManifestFileGone, type ManifestFolder } from './manifest-folder.ts';
import type { ProblemLedger } from './problem-ledger.ts';

/** Largest manifest that is read, as for the kubelet: 10 MiB. */
export const MAX_MANIFEST_BYTES: number = 10 * 1024 * 1024;
/** Files read at the same time. */
const MAX_OPEN_FILES = 16;

/** The latest known about one file. */
export interface KnownFile {
  /** Of the content that was looked at; empty when it could not be read, so that it is tried again. */
  readonly version: string;
  /** The last good pod; undefined if there never was one. */
  readonly pod: Pod | undefined;
}

/** Options of {@link createManifestReader}. */
export interface ManifestReaderOptions {
  readonly nodeName: string;
  readonly allowPrivileged: boolean;
}

/** Makes pods of the files of a folder. */
export interface ManifestReader {
  /**
   * What is now known about the files among `entries`, by path and in their order, given what was known before. Only files that changed are read. One that
   * holds no valid pod any more keeps its last good one. What is wrong goes into the ledger.
   */
  read(
    entries: readonly ManifestEntry[],
    before: ReadonlyMap<string, KnownFile>,
  ): Promise<ReadonlyMap<string, KnownFile>>;
}

/** Creates a {@link ManifestReader}. */
export function createManifestReader(
  folder: ManifestFolder,
  ledger: ProblemLedger,
  options: ManifestReaderOptions,
): ManifestReader {
  const places = createSemaphore(MAX_OPEN_FILES);

  const readFile = async (
    { path, version, sizeBytes }: ManifestEntry,
    known: KnownFile | undefined,
  ): Promise<KnownFile | undefined> => {
    const pod = known?.pod;
    const kept = pod === undefined ? '' : '; the pod of its last good version is kept';
    if (sizeBytes > MAX_MANIFEST_BYTES) {
      const limit = `${String(MAX_MANIFEST_BYTES)} (10 MiB)`;
      const message = `${path} has ${String(sizeBytes)} bytes, more than the ${limit} of a manifest; shorten or remove it${kept}`;
      ledger.set(path, [['FileUnreadable', message]]);
      return { version, pod };
    }
    let bytes: Uint8Array;
    try {
      bytes = await folder.read(path, MAX_MANIFEST_BYTES);
    } catch (error) {
      if (error instanceof ManifestFileGone) return undefined;
      const message = `cannot read ${path}: ${errorMessage(error)}; allow this user to read it, or remove it${kept}`;
      ledger.set(path, [['FileUnreadable', message]]);
      return { version: '', pod };
    }
    try {
      const decoded = decodeManifest(utf8(bytes, path), { ...options, origin: { file: path } });
      ledger.set(
        path,
        decoded.warnings.map((warning) => ['ManifestWarning', `${path}: ${warning}`]),
      );
      // A comment that changed is no other pod: who compares by identity need not look.
      return { version, pod: isDeepStrictEqual(decoded.pod, pod) ? pod : decoded.pod };
    } catch (error) {
      // Whatever is wrong with one file, the others are not to suffer from it.
      const message =
        error instanceof ManifestError ? error.message : `${path}: cannot be decoded: ${errorMessage(error)}`;
      ledger.set(path, [['InvalidManifest', `${message}${kept}`]]);
      return { version, pod };
    }
  };

  const readEntry = async (entry: ManifestEntry, known: KnownFile | undefined): Promise<KnownFile | undefined> => {
    if (entry.kind === 'file') return known?.version === entry.version ? known : readFile(entry, known);
    ledger.set(entry.path, [['NotAFile', `${entry.path} ${reasonsToSkip[entry.kind]}`]]);
    return undefined;
  };

  return {
    async read(entries, before) {
      const read = await Promise.all(
        entries.map((entry) => places.run(() => readEntry(entry, before.get(entry.path)))),
      );
      const known = new Map<string, KnownFile>();
      entries.forEach(({ path }, index) => {
        const file = read[index];
        if (file !== undefined) known.set(path, file);
      });
      return known;
    },
  };
}

const reasonsToSkip = {
  folder: 'is a folder and is skipped; put its manifests beside it',
  missing: 'is a link to nothing and is skipped; repair or remove it',
  other: 'is no regular file and is skipped; remove it',
} as const;

function utf8(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ManifestError('NotYaml', path, 'is not UTF-8 text; write a Pod as YAML or JSON into it, or remove it');
  }
}
