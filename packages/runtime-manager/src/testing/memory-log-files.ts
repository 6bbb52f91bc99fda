import type { LogFile, LogFiles } from '../logs/log-files.ts';

/** {@link LogFiles} in memory, written to by a test in the role of the runtime. */
export interface MemoryLogFiles extends LogFiles {
  /** Appends to the file at `path`, made if there is none. */
  append(path: string, text: string): void;
  /** Renames a file, as a rotation does; readers that have it open keep it. */
  rename(path: string, to: string): void;
  /** Empties a file in place. */
  truncate(path: string): void;
  /** How many files are open. */
  readonly openCount: number;
}

interface MemoryFile {
  readonly identity: string;
  content: Buffer;
}

/** Creates {@link MemoryLogFiles}, without files but for what is given (path → content). */
export function createMemoryLogFiles(initial: Readonly<Record<string, string>> = {}): MemoryLogFiles {
  const files = new Map<string, MemoryFile>();
  const watchers = new Map<string, Set<() => void>>();
  let made = 0;
  let openCount = 0;
  const notify = (path: string): void => watchers.get(path)?.forEach((onChange) => onChange());
  const append = (path: string, text: string): void => {
    const file = files.get(path) ?? { identity: String(++made), content: Buffer.alloc(0) };
    file.content = Buffer.concat([file.content, Buffer.from(text)]);
    files.set(path, file);
    notify(path);
  };
  for (const [path, content] of Object.entries(initial)) append(path, content);
  return {
    append,
    rename(path, to) {
      const file = files.get(path);
      if (file === undefined) throw new Error(`there is no file ${path}`);
      files.delete(path);
      files.set(to, file);
      notify(path);
    },
    truncate(path) {
      const file = files.get(path);
      if (file !== undefined) file.content = Buffer.alloc(0);
      notify(path);
    },
    get openCount() {
      return openCount;
    },
    async open(path): Promise<LogFile | undefined> {
      const file = files.get(path);
      if (file === undefined) return undefined;
      openCount++;
      let closed = false;
      return {
        identity: file.identity,
        read: async (offset, length) => file.content.subarray(offset, offset + length),
        size: async () => file.content.length,
        async [Symbol.asyncDispose]() {
          if (!closed) openCount--;
          closed = true;
        },
      };
    },
    watch(path, onChange) {
      const set = watchers.get(path) ?? new Set();
      watchers.set(path, set.add(onChange));
      return { [Symbol.dispose]: () => void set.delete(onChange) };
    },
  };
}
