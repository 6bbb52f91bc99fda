import type { JournalEntry } from '@rxlet/agent-api/journal';
import { type Clock, errorMessage, type Logger, type Timer } from '@rxlet/component-base';
import type { NodeFiles } from '@rxlet/node-files';
import { entryBytes } from './entry-bytes.ts';
import type { JournalStore } from './journal-store.ts';
import { formatLine, type JournalLine, parseLines } from './journal-lines.ts';

/** Ports of {@link createJournalFile}. */
export interface JournalFilePorts {
  readonly files: Pick<NodeFiles, 'appendFile' | 'replaceFile' | 'readFile' | 'makeDirectory'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: Pick<JournalStore, 'lives' | 'restore'>;
}

/** Options of {@link createJournalFile}. */
export interface JournalFileOptions {
  /** Directory of the file `journal`. */
  readonly directory: string;
  /** Bound of the file. Default: 16 MiB. */
  readonly maxBytes?: number | undefined;
}

/**
 * File of the journal. Entries are appended a second after the first of them, and the file is replaced by a snapshot when it has grown to its bound. After a kill at any
 * moment it has the entries up to some point: a torn last line is ignored.
 */
export interface JournalFile extends AsyncDisposable {
  /** Restores the lives of earlier runs of the agent, and begins the file of this one. A file that cannot be read is replaced. */
  start(): Promise<void>;
  /** Keeps an entry for the next write. */
  append(entry: JournalEntry): void;
}

const WRITE_DELAY_MS = 1_000;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** Creates a {@link JournalFile}. A failed write is logged once, and the next one replaces the file, so that nothing is lost but what a kill would lose. */
export function createJournalFile(
  { files, clock, logger, store }: JournalFilePorts,
  { directory, maxBytes = DEFAULT_MAX_BYTES }: JournalFileOptions,
): JournalFile {
  const path = `${directory}/journal`;
  /** Entries for the next write, which formats them together: one by one, in the midst of the start of pods, it costs several times as much. */
  let pending: JournalEntry[] = [];
  let pendingBytes = 0;
  let fileBytes = 0;
  /** Whether the next write replaces the file. */
  let mustReplace = true;
  let timer: Timer | undefined;
  let writing: Promise<void> | undefined;
  let isStarted = false;
  let reported = '';

  const write = async (): Promise<void> => {
    const text = mustReplace ? '' : pending.map((entry) => formatLine({ type: 'entry', entry })).join('');
    const textBytes = Buffer.byteLength(text);
    const appends = !mustReplace && fileBytes + textBytes <= maxBytes;
    pending = [];
    pendingBytes = 0;
    try {
      if (appends) {
        await files.appendFile(path, text);
        fileBytes += textBytes;
      } else {
        const content = snapshot();
        mustReplace = true;
        await files.replaceFile(path, content, FILE_MODE);
        mustReplace = false;
        fileBytes = Buffer.byteLength(content);
      }
      reported = '';
    } catch (error) {
      mustReplace = true;
      const message = errorMessage(error);
      if (message !== reported) logger.warn('cannot write the journal', { path, error: message });
      reported = message;
    }
  };

  /** Returns the lives as lines, the latest ones up to half of the bound, so that entries have room after them. */
  const snapshot = (): string => {
    const lines: string[] = [];
    let bytes = 0;
    const lives = store.lives();
    const open = lives.filter(({ endMs }) => endMs === undefined);
    const ended = lives.filter(({ endMs }) => endMs !== undefined);
    for (const life of [...open, ...ended.toReversed()]) {
      const line = formatLine({ type: 'life', life });
      bytes += Buffer.byteLength(line);
      if (bytes > maxBytes / 2) break;
      lines.push(line);
    }
    const header = formatLine({ type: 'agent', atMs: Math.round(clock.now()) });
    return header + lines.toReversed().join('');
  };

  const schedule = (): void => {
    if (!isStarted || timer !== undefined || writing !== undefined) return;
    timer = clock.setTimer(WRITE_DELAY_MS, () => {
      timer = undefined;
      void startWrite();
    });
  };
  const startWrite = (): Promise<void> => {
    writing = write().finally(() => {
      writing = undefined;
      if (pending.length > 0) schedule();
    });
    return writing;
  };

  const read = async (): Promise<readonly JournalLine[]> => {
    try {
      // Twice the bound: the size at the last kill.
      const bytes = await files.readFile(path, 2 * maxBytes);
      return bytes === undefined ? [] : parseLines(Buffer.from(bytes).toString());
    } catch (error) {
      logger.warn('cannot read the journal, it begins anew', { path, error: errorMessage(error) });
      return [];
    }
  };

  return {
    async start() {
      await files.makeDirectory(directory, DIRECTORY_MODE).catch((error: unknown) => {
        logger.warn('cannot create the directory of the journal', { directory, error: errorMessage(error) });
      });
      const lines = await read();
      store.restore({
        lives: lines.flatMap((line) => (line.type === 'life' ? line.life : [])),
        entries: lines.flatMap((line) => (line.type === 'entry' ? line.entry : [])),
      });
      isStarted = true;
      await startWrite();
    },
    append(entry) {
      pending.push(entry);
      pendingBytes += entryBytes(entry);
      // More than the bound is not kept: the next write is a snapshot.
      if (pendingBytes > maxBytes) {
        pending = [];
        pendingBytes = 0;
        mustReplace = true;
      }
      schedule();
    },
    async [Symbol.asyncDispose]() {
      const wasStarted = isStarted;
      // First, so that the end of a write schedules no other one.
      isStarted = false;
      timer?.[Symbol.dispose]();
      timer = undefined;
      await writing;
      if (wasStarted && pending.length > 0) await write();
    },
  };
}
