import { type Clock, errorMessage, type Logger, sleep, withDeadline } from '@rxlet/component-base';
import type { DockerContainer } from '../engine/docker-types.ts';
import type { DockerEngine } from '../engine/docker-engine.ts';
import { isMissing } from '../engine/docker-error.ts';
import { readMultiplexedLog, readTerminalLog } from './log-entries.ts';
import type { LogFiles } from './log-files.ts';
import { sinceOf, skipUntil } from './log-position.ts';
import { createLogWriter, type LogWriter, type PositionStore } from './log-writer.ts';

/** A container whose log is written. */
export interface LoggedContainer {
  readonly id: string;
  readonly logPath: string;
  readonly hasTerminal: boolean;
}

/**
 * Writes the logs of containers in the CRI's format, from Docker's own logs. Docker's log is the buffer: whatever a container prints while the shim or Docker is
 * away is written later, with its time, and no line twice.
 */
export interface ContainerLogs extends AsyncDisposable {
  /** Creates the log file of a container that is about to start. A file that cannot be created stops no container: the follower retries. */
  prepare(container: LoggedContainer): Promise<void>;
  /** Writes the log of a container until it has exited. Does nothing when that goes on already. */
  follow(container: LoggedContainer): void;
  /** Waits until the log of a container that has exited is complete, at most for a few seconds, and not while it cannot be written. */
  complete(containerId: string): Promise<void>;
  /** Continues in a new file after a rotation. */
  reopen(container: LoggedContainer): Promise<void>;
  /** Removes what is stored for a removed container. */
  forget(containerId: string): Promise<void>;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
/** Longest time that a call of the CRI waits for a log. */
const WAIT_MS = 5_000;

interface Follower {
  readonly writer: LogWriter;
  readonly done: Promise<void>;
  readonly abort: AbortController;
  /** Resolves when the log cannot be written. Replaced when it can be written again. */
  failure: PromiseWithResolvers<void>;
}

/** Creates {@link ContainerLogs}. Disposal stops writing; the rest is written after the next start. */
export function createContainerLogs(
  engine: DockerEngine,
  files: LogFiles,
  positions: PositionStore,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): ContainerLogs {
  const followers = new Map<string, Follower>();
  let isOpen = true;

  /** Writes what Docker reports from the end of the log on, and returns when Docker's stream ends. */
  const copy = async (
    { id, hasTerminal }: LoggedContainer,
    writer: LogWriter,
    isFollowing: boolean,
    signal: AbortSignal,
    opened?: () => void,
  ): Promise<void> => {
    const position = await writer.position();
    const query = {
      follow: isFollowing,
      stdout: true,
      stderr: true,
      timestamps: true,
      since: position && sinceOf(position),
    };
    const source = await engine.stream('GET', `/containers/${id}/logs`, { query, signal });
    opened?.();
    const isNew = skipUntil(position);
    try {
      for await (const entries of hasTerminal ? readTerminalLog(source) : readMultiplexedLog(source)) {
        const fresh = entries.filter(isNew);
        if (fresh.length > 0) await writer.write(fresh);
      }
    } finally {
      source.destroy();
    }
  };
  const run = async (container: LoggedContainer, follower: Omit<Follower, 'done'>): Promise<void> => {
    const { writer, abort } = follower;
    const { signal } = abort;
    let hasFailed = false;
    const opened = (): void => {
      if (hasFailed) follower.failure = Promise.withResolvers();
      hasFailed = false;
    };
    let retryMs = FIRST_RETRY_MS;
    for (;;) {
      try {
        await copy(container, writer, true, signal, opened);
        const { State } = await engine.json<DockerContainer>('GET', `/containers/${container.id}/json`, { signal });
        if (!State.Running) {
          // Docker may end a stream before the last lines.
          await copy(container, writer, false, signal);
          return;
        }
        retryMs = FIRST_RETRY_MS;
      } catch (error) {
        if (signal.aborted || isMissing(error)) return;
        const fields = { containerId: container.id, path: container.logPath, error: errorMessage(error) };
        logger.warn('cannot write the log of a container', fields);
        hasFailed = true;
        follower.failure.resolve();
      }
      await sleep(clock, retryMs, signal);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  };
  const follow = (container: LoggedContainer): Follower => {
    const { id, logPath } = container;
    const existing = followers.get(id);
    if (existing !== undefined) return existing;
    const writer = createLogWriter(files, logPath, id, positions);
    const parts = { writer, abort: new AbortController(), failure: Promise.withResolvers<void>() };
    const done = run(container, parts)
      .catch(() => undefined)
      .then(async () => {
        followers.delete(id);
        await writer[Symbol.asyncDispose]();
      });
    const follower = Object.assign(parts, { done });
    followers.set(id, follower);
    return follower;
  };

  return {
    async prepare({ id, logPath }) {
      try {
        // A hung disk delays no start for long.
        await withDeadline(clock, WAIT_MS, undefined, async () => (await files.open(logPath))[Symbol.asyncDispose]());
      } catch (error) {
        const fields = { containerId: id, path: logPath, error: errorMessage(error) };
        logger.warn('cannot create the log of a container', fields);
      }
    },
    follow(container) {
      if (isOpen) follow(container);
    },
    async complete(containerId) {
      const follower = followers.get(containerId);
      if (follower === undefined) return;
      await withDeadline(clock, WAIT_MS, undefined, () =>
        Promise.race([follower.done, follower.failure.promise]),
      ).catch(() => undefined);
    },
    async reopen(container) {
      await follow(container).writer.reopen();
    },
    async forget(containerId) {
      const follower = followers.get(containerId);
      follower?.abort.abort();
      await follower?.done;
      await positions.remove(containerId);
    },
    async [Symbol.asyncDispose]() {
      isOpen = false;
      const all = [...followers.values()];
      for (const { abort } of all) abort.abort();
      await Promise.all(all.map(({ done }) => done));
    },
  };
}
