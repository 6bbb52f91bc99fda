import { isDeepStrictEqual } from 'node:util';
import { createSemaphore, errorMessage } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { type FileInfo, type FileKind, type HostEntry, type HostFiles, UnsafeFileError } from '@rxlet/node-files';
import { referencedObjects } from '@rxlet/pod-model';
import { type ManifestDecoder, MAX_INLINE_BYTES } from './manifest-decoder.ts';
import { ManifestError } from './manifest-error.ts';
import type { ManifestObject } from './objects/manifest-object.ts';
import type { LedgerEntry, ProblemLedger } from './problem-ledger.ts';

/** Largest manifest that is read, as for the kubelet: 10 MiB. */
export const MAX_MANIFEST_BYTES: number = 10 * 1024 * 1024;
/**
 * Files read at the same time. Two overlap reading with decoding; more would be decoded in the same turn of the event loop, which blocks it for the sum.
 */
const MAX_SMALL_READS = 2;
/** Larger manifests are decoded in a thread; small ones do not wait for them. */
const MAX_LARGE_READS = 1;

/** A file as it was last read. */
export interface KnownFile {
  /** Version of the content; empty if it could not be read or decoded now, so that it is read again. */
  readonly version: string;
  /** The last good pod; undefined if there never was one. */
  readonly pod: Pod | undefined;
  /** ConfigMaps and Secrets of its last good version. */
  readonly objects: readonly ManifestObject[];
  /** Valid pod of this version that refers to objects; it becomes `pod` once these exist. */
  readonly waiting?: Pod | undefined;
}

/** Ports of {@link createManifestReader}. */
export interface ManifestReaderPorts {
  readonly hostFiles: Pick<HostFiles, 'read'>;
  readonly decoder: ManifestDecoder;
  readonly ledger: ProblemLedger;
  /** Returns the last good pod of a file from an earlier run. */
  readonly lastGoodPod: (path: string) => Pod | undefined;
}

/** Options of {@link createManifestReader}. */
export interface ManifestReaderOptions {
  readonly nodeName: string;
  readonly allowPrivileged: boolean;
  /** Whether manifests may contain ConfigMaps and Secrets, to which their pods may refer. */
  readonly documents: boolean;
}

/** Reads and decodes the files of a folder. */
export interface ManifestReader {
  /**
   * Reads the changed files among `entries`.
   *
   * @param before the files as they were last read, by path
   * @param onPod called with each pod that differs from the one before, as soon as it is decoded
   * @returns the files by path, in the order of the entries. A file without a valid pod keeps its last good one. Problems go to the ledger.
   */
  read(
    entries: readonly HostEntry[],
    before: ReadonlyMap<string, KnownFile>,
    onPod: (pod: Pod) => void,
  ): Promise<Map<string, KnownFile>>;
  /** Returns the file that a pod was read from. */
  manifestOf(pod: Pod): string | undefined;
}

/** Creates a {@link ManifestReader}. */
export function createManifestReader(ports: ManifestReaderPorts, options: ManifestReaderOptions): ManifestReader {
  const { hostFiles, decoder, ledger } = ports;
  const smallReads = createSemaphore(MAX_SMALL_READS);
  const largeReads = createSemaphore(MAX_LARGE_READS);
  const paths = new WeakMap<Pod, string>();

  /** Records the problem of a file and keeps its last good pod. */
  const keep = (path: string, known: KnownFile | undefined, version: string, problem: LedgerEntry): KnownFile => {
    const pod = known?.pod ?? ports.lastGoodPod(path);
    const kept = pod === undefined ? '' : '; the pod of its last good version is kept';
    ledger.set(path, [{ ...problem, message: `${problem.message}${kept}`, keptPod: pod }]);
    return { version, pod, objects: known?.objects ?? [] };
  };
  const keepUnreadable = (path: string, known: KnownFile | undefined, error: unknown): KnownFile => {
    const message =
      error instanceof UnsafeFileError
        ? `${error.message}; replace or remove it`
        : `cannot read ${path}: ${errorMessage(error)}; allow this user to read it, or remove it`;
    return keep(path, known, '', { reason: 'FileUnreadable', message });
  };

  const readFile = async (
    path: string,
    { version, sizeBytes }: FileInfo,
    known: KnownFile | undefined,
  ): Promise<KnownFile | undefined> => {
    if (sizeBytes > MAX_MANIFEST_BYTES) {
      const limit = `${String(MAX_MANIFEST_BYTES)} (10 MiB)`;
      const message = `${path} has ${String(sizeBytes)} bytes, more than the ${limit} of a manifest; shorten or remove it`;
      return keep(path, known, version, { reason: 'FileUnreadable', message });
    }
    let bytes: Uint8Array;
    try {
      const file = await hostFiles.read(path, MAX_MANIFEST_BYTES);
      if (file === undefined) return undefined;
      bytes = file.bytes;
    } catch (error) {
      return keepUnreadable(path, known, error);
    }
    try {
      const { documents, ...decodeOptions } = options;
      const form = documents ? 'documents' : 'pod';
      const decoded = await decoder.decode(bytes, { ...decodeOptions, origin: { file: path } }, form);
      const { pods, warnings } = decoded;
      ledger.set(
        path,
        warnings.map((warning) => ({ reason: 'ManifestWarning', message: `${path}: ${warning}` })),
      );
      const objects = (decoded.objects ?? []).map((object) => sameObjectOr(known?.objects ?? [], object));
      const [pod] = pods;
      if (pod === undefined) return { version, pod, objects };
      const same = sameOr(known?.pod, pod);
      paths.set(same, path);
      const isWaiting = same === pod && referencedObjects(pod).length > 0;
      return isWaiting ? { version, pod: known?.pod, objects, waiting: pod } : { version, pod: same, objects };
    } catch (error) {
      if (error instanceof ManifestError)
        return keep(path, known, version, { reason: 'InvalidManifest', message: error.message });
      // Says nothing about the content, which is decoded again with the next reading.
      const message = `cannot decode ${path}: ${errorMessage(error)}`;
      return keep(path, known, '', { reason: 'InvalidManifest', message });
    }
  };

  const readEntry = async (
    { path, info, error }: HostEntry,
    known: KnownFile | undefined,
    onPod: (pod: Pod) => void,
  ): Promise<KnownFile | undefined> => {
    if (error !== undefined) return keepUnreadable(path, known, error);
    if (info?.kind !== 'file') {
      ledger.set(path, [{ reason: 'NotAFile', message: `${path} ${reasonToSkip(info?.kind)}` }]);
      return undefined;
    }
    if (known?.version === info.version) return known;
    const reads = info.sizeBytes > MAX_INLINE_BYTES ? largeReads : smallReads;
    const file = await reads.run(() => readFile(path, info, known));
    if (file?.pod !== undefined && file.pod !== known?.pod) {
      paths.set(file.pod, path);
      onPod(file.pod);
    }
    return file;
  };

  return {
    async read(entries, before, onPod) {
      const files = await Promise.all(entries.map((entry) => readEntry(entry, before.get(entry.path), onPod)));
      const read = new Map<string, KnownFile>();
      entries.forEach(({ path }, index) => {
        const file = files[index];
        if (file !== undefined) read.set(path, file);
      });
      return read;
    },
    manifestOf: (pod) => paths.get(pod),
  };
}

/** Returns the earlier pod if nothing but comments changed: consumers compare pods by identity first. */
function sameOr(earlier: Pod | undefined, pod: Pod): Pod {
  return earlier?.metadata?.uid === pod.metadata?.uid && isDeepStrictEqual(earlier, pod) ? earlier! : pod;
}

/** Returns the earlier object if it is equal: pods learn of changes only. */
function sameObjectOr(earlier: readonly ManifestObject[], object: ManifestObject): ManifestObject {
  return earlier.find((other) => isDeepStrictEqual(other, object)) ?? object;
}

function reasonToSkip(kind: FileKind | undefined): string {
  if (kind === undefined) return 'is a link to nothing and is skipped; repair or remove it';
  if (kind === 'directory') return 'is a folder and is skipped; put its manifests beside it';
  return 'is no regular file and is skipped; remove it';
}
