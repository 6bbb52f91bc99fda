import { type ManifestEntryKind, ManifestFileGone, type ManifestFolder } from './manifest-folder.ts';

/** A folder of manifests in memory, for tests. */
export interface MemoryManifestFolder extends ManifestFolder {
  /** The folder's path; any other path does not exist. */
  readonly path: string;
  /** How often each file was read. */
  readonly reads: ReadonlyMap<string, number>;
  /** How many watches are open. */
  readonly watches: number;
  /** Writes a file, and notifies. */
  write(name: string, content: string | Uint8Array): void;
  /** Puts something else than a file there. */
  put(name: string, kind: Exclude<ManifestEntryKind, 'file'>): void;
  /** Removes what is there, and notifies. */
  remove(name: string): void;
  /** Lets reading the file fail, or work again when `error` is undefined; the file counts as changed. */
  failRead(name: string, error: Error | undefined): void;
  /** Lets looking at the folder fail, or work again when `error` is undefined. Does not notify. */
  failList(error: Error | undefined): void;
  /** Takes the folder away, with the watches on it. */
  vanish(): void;
  /** Brings it back, with what was in it. Does not notify: nobody watches it. */
  comeBack(): void;
  /** Makes changes without notifying, as a lost or impossible watch does. */
  silently(change: () => void): void;
  /** Lets the next `watch` throw. */
  failNextWatch(error: Error): void;
  /** Ends the open watches with an error. */
  endWatches(error: Error): void;
}

interface MemoryEntry {
  readonly kind: ManifestEntryKind;
  readonly bytes: Uint8Array;
  readonly version: number;
  readonly error?: Error | undefined;
}

/** Creates a {@link MemoryManifestFolder}. */
export function createMemoryManifestFolder(path = '/etc/kubernetes/manifests'): MemoryManifestFolder {
  const entries = new Map<string, MemoryEntry>();
  const reads = new Map<string, number>();
  const watches = new Set<{ onChange: () => void; onEnd: (error: Error) => void }>();
  let versions = 0;
  let identity = 1;
  let present = true;
  let silent = false;
  let listError: Error | undefined;
  let watchError: Error | undefined;

  const missing = (): Error => Object.assign(new Error('ENOENT: no such file or directory'), { code: 'ENOENT' });
  const notify = (): void => {
    if (silent) return;
    for (const { onChange } of [...watches]) onChange();
  };
  const change = (name: string, entry: Omit<MemoryEntry, 'version'>): void => {
    versions += 1;
    entries.set(name, { ...entry, version: versions });
    notify();
  };
  return {
    path,
    reads,
    get watches() {
      return watches.size;
    },
    write: (name, content) =>
      change(name, { kind: 'file', bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content }),
    put: (name, kind) => change(name, { kind, bytes: new Uint8Array() }),
    remove(name) {
      entries.delete(name);
      notify();
    },
    failRead(name, error) {
      const entry = entries.get(name);
      change(name, { kind: 'file', bytes: entry?.bytes ?? new Uint8Array(), error });
    },
    failList: (error) => void (listError = error),
    vanish() {
      present = false;
      watches.clear();
    },
    comeBack() {
      present = true;
      identity += 1;
    },
    silently(make) {
      silent = true;
      make();
      silent = false;
    },
    failNextWatch: (error) => void (watchError = error),
    endWatches(error) {
      const ended = [...watches];
      watches.clear();
      for (const { onEnd } of ended) onEnd(error);
    },
    async list(listed) {
      if (listError !== undefined) throw listError;
      if (!present || listed !== path) throw missing();
      return {
        kind: 'folder',
        identity: String(identity),
        entries: Array.from(entries, ([name, { kind, bytes, version }]) => ({
          name,
          path: `${path}/${name}`,
          kind,
          sizeBytes: bytes.length,
          version: String(version),
        })),
      };
    },
    async read(filePath, maxBytes) {
      const name = filePath.slice(path.length + 1);
      reads.set(name, (reads.get(name) ?? 0) + 1);
      const entry = present ? entries.get(name) : undefined;
      if (entry === undefined) throw new ManifestFileGone(missing().message);
      if (entry.error !== undefined) throw entry.error;
      if (entry.bytes.length > maxBytes) throw new Error(`it has more than ${String(maxBytes)} bytes`);
      return entry.bytes;
    },
    watch(_, onChange, onEnd) {
      if (watchError !== undefined) {
        const error = watchError;
        watchError = undefined;
        throw error;
      }
      const watch = { onChange, onEnd };
      watches.add(watch);
      return { [Symbol.dispose]: () => void watches.delete(watch) };
    },
  };
}
