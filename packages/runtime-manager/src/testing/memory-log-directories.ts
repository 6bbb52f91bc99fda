import { gzipSync } from 'node:zlib';
import type { LogDirectories } from '../logs/log-directories.ts';

interface MemoryLog {
  readonly identity: string;
  content: Buffer;
}

/** {@link LogDirectories} in memory, and what a runtime needs to write to them. */
export interface MemoryLogDirectories extends LogDirectories {
  /** Opens a log for appending, made if there is none: what a fake runtime takes as its `logs`. */
  readonly logs: { open(path: string): { append(lines: string): void; close(): void } };
  /** Path → content. */
  readonly files: ReadonlyMap<string, { readonly content: Buffer }>;
  /** Makes a file anew. */
  put(path: string, text: string): void;
  /** Removes a file, as an administrator would. */
  delete(path: string): void;
  /** Has each compression fail with this error from now on; `undefined`: none. */
  failCompression(error: Error | undefined): void;
  /** How many directories are open. */
  readonly openCount: number;
}

/** Creates {@link MemoryLogDirectories}, without files. A directory is there as soon as there is a file in it. */
export function createMemoryLogDirectories(): MemoryLogDirectories {
  const files = new Map<string, MemoryLog>();
  let made = 0;
  let openCount = 0;
  let compressionError: Error | undefined;
  const put = (path: string, text: string): MemoryLog => {
    const file = { identity: String(++made), content: Buffer.from(text) };
    files.set(path, file);
    return file;
  };
  return {
    files,
    put,
    delete: (path) => void files.delete(path),
    failCompression: (error) => void (compressionError = error),
    get openCount() {
      return openCount;
    },
    logs: {
      open(path) {
        const file = files.get(path) ?? put(path, '');
        return {
          append: (lines) => void (file.content = Buffer.concat([file.content, Buffer.from(lines)])),
          close: () => undefined,
        };
      },
    },
    glance: async (path) => files.get(path)?.content.length,
    async open(directory) {
      const prefix = `${directory}/`;
      if (![...files.keys()].some((path) => path.startsWith(prefix))) return undefined;
      openCount++;
      const existing = (name: string): MemoryLog => {
        const file = files.get(prefix + name);
        if (file === undefined) throw new Error(`ENOENT: no such file, '${prefix + name}'`);
        return file;
      };
      const move = (from: string, to: string): void => {
        const file = existing(from);
        files.delete(prefix + from);
        files.set(prefix + to, file);
      };
      return {
        list: async () =>
          [...files.keys()].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length)),
        async lstat(name) {
          const file = files.get(prefix + name);
          return file && { isFile: true, sizeBytes: file.content.length, identity: file.identity };
        },
        rename: async (from, to) => move(from, to),
        async renameUnlessTaken(from, to) {
          if (files.has(prefix + to)) return false;
          move(from, to);
          return true;
        },
        remove: async (name) => void files.delete(prefix + name),
        async compress(name, signal) {
          signal.throwIfAborted();
          if (compressionError !== undefined) throw compressionError;
          const { content } = existing(name);
          put(`${prefix}${name}.gz`, '').content = gzipSync(content);
          files.delete(prefix + name);
        },
        [Symbol.asyncDispose]: async () => void openCount--,
      };
    },
  };
}
