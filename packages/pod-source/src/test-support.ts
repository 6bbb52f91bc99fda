import { createMemoryFiles } from '@rxlet/node-files/testing';
import type { Observable } from 'rxjs';
import { type PodSourceProblem, problemKey } from '@rxlet/agent-api/sources';
import { onTestFinished, vi } from 'vitest';

/** Records each problem as `reason: message` when it appears in the list of present problems. */
export function recordProblems(problems$: Observable<readonly PodSourceProblem[]>): {
  readonly appeared: string[];
  present(): readonly string[];
} {
  const appeared: string[] = [];
  let present: readonly PodSourceProblem[] = [];
  const format = ({ reason, message }: PodSourceProblem): string => `${reason}: ${message}`;
  problems$.subscribe((problems) => {
    const known = new Set(present.map(problemKey));
    appeared.push(...problems.filter((problem) => !known.has(problemKey(problem))).map(format));
    present = problems;
  });
  return { appeared, present: () => present.map(format) };
}

/** A folder of manifests in memory, and ways to break it. */
export function createTestFolder(path = '/manifests') {
  const memory = createMemoryFiles({ roots: ['/var/lib'] });
  memory.putDirectory(path);
  memory.putDirectory('/var/lib');
  const at = (name: string): string => `${path}/${name}`;
  const reads = new Map<string, number>();
  const readErrors = new Map<string, Error>();
  const heldReads = new Map<string, Promise<void>>();
  const saved = { writes: 0, error: undefined as Error | undefined };
  let listError: Error | undefined;
  let watchError: Error | undefined;
  let removed: ReadonlyMap<string, Uint8Array> = new Map();

  memory.fault = (operation, file) => {
    const name = file.slice(path.length + 1);
    if (operation === 'read') {
      reads.set(name, (reads.get(name) ?? 0) + 1);
      if (readErrors.has(name)) throw readErrors.get(name)!;
      return heldReads.get(name);
    }
    if (operation === 'list' && listError !== undefined) throw listError;
    if (operation === 'watch' && watchError !== undefined) {
      const error = watchError;
      watchError = undefined;
      throw error;
    }
    if (operation === 'readPrivate' && saved.error !== undefined) throw saved.error;
    if (operation === 'replaceFile') {
      if (saved.error !== undefined) throw saved.error;
      saved.writes += 1;
    }
    return undefined;
  };
  return {
    memory,
    hostFiles: memory.hostFiles,
    reads,
    /** Writes a file in place, which can be read then. */
    write(name: string, content: string | Uint8Array): void {
      readErrors.delete(name);
      memory.put(at(name), content);
    },
    /** Moves a complete file into place. */
    place(name: string, content: string): void {
      memory.put(`/elsewhere/${name}`, content);
      memory.rename(`/elsewhere/${name}`, at(name));
    },
    remove: (name: string): void => memory.remove(at(name)),
    /** Makes reads of a file fail, or succeed again; the file counts as changed. */
    failRead(name: string, error: Error | undefined): void {
      if (error === undefined) readErrors.delete(name);
      else readErrors.set(name, error);
      memory.put(at(name), memory.bytes(at(name)) ?? '');
    },
    /** Holds reads of a file back until the returned function is called. */
    holdRead(name: string): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      heldReads.set(name, promise);
      return resolve;
    },
    /** Makes listings fail, or succeed again. */
    failList: (error: Error | undefined): void => void (listError = error),
    failNextWatch: (error: Error): void => void (watchError = error),
    /** Removes the folder. */
    vanish(): void {
      const files = memory.paths().filter((file) => file.startsWith(`${path}/`));
      removed = new Map(files.map((file) => [file, memory.bytes(file)!]));
      memory.remove(path);
    },
    /** Creates a folder in its place with the same files, which no watch sees. */
    comeBack(): void {
      memory.unseen(() => {
        memory.putDirectory(path);
        for (const [file, bytes] of removed) memory.put(file, bytes);
      });
    },
    /** The file of the last good pods. */
    lastGoodFile: {
      files: memory.nodeFiles,
      path: '/var/lib/static_pods',
      get text() {
        return memory.text('/var/lib/static_pods');
      },
      set text(text) {
        memory.put('/var/lib/static_pods', text ?? '', 0o600);
      },
      get writes() {
        return saved.writes;
      },
      set error(error: Error | undefined) {
        saved.error = error;
      },
    },
  };
}

/** A {@link createTestFolder}. */
export type TestFolder = ReturnType<typeof createTestFolder>;

/** Makes the start of threads fail, as on a machine that has none left, until `release` or the end of the test. */
export function exhaustThreads(): { release(): void } {
  const release = (): void => void vi.doUnmock('node:worker_threads');
  vi.doMock('node:worker_threads', () => ({
    Worker: class {
      constructor() {
        throw new Error('ERR_WORKER_INIT_FAILED: EAGAIN');
      }
    },
  }));
  onTestFinished(release);
  return { release };
}
