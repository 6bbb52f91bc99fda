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
  /** Writes the log of a container until it has exited. Does nothing when that goes on already. */
  follow(container: LoggedContainer): void;
  /** Waits until the log of a container that has exited is complete, at most for a few seconds. */
  complete(containerId: string): Promise<void>;
  /** Continues in a new file after a rotation. */
  reopen(container: LoggedContainer): Promise<void>;
  /** Removes what is stored for a removed container. */
  forget(containerId: string): Promise<void>;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
const COMPLETE_TIMEOUT_MS = 5_000;

interface Follower {
  readonly writer: LogWriter;
  readonly done: Promise<void>;
  readonly abort: AbortController;
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
  const run = async (container: LoggedContainer, writer: LogWriter, signal: AbortSignal): Promise<void> => {
    let retryMs = FIRST_RETRY_MS;
    for (;;) {
      try {
        await copy(container, writer, true, signal);
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
      }
      await sleep(clock, retryMs, signal);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  };
  const follow = (container: LoggedContainer): Follower => {
    const { id, logPath } = container;
    const existing = followers.get(id);
    if (existing !== undefined) return existing;
    const abort = new AbortController();
    const writer = createLogWriter(files, logPath, id, positions);
    const done = run(container, writer, abort.signal)
      .catch(() => undefined)
      .then(async () => {
        followers.delete(id);
        await writer[Symbol.asyncDispose]();
      });
    const follower = { writer, done, abort };
    followers.set(id, follower);
    return follower;
  };

  return {
    follow(container) {
      if (isOpen) follow(container);
    },
    async complete(containerId) {
      const follower = followers.get(containerId);
      if (follower === undefined) return;
      await withDeadline(clock, COMPLETE_TIMEOUT_MS, undefined, () => follower.done).catch(() => undefined);
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
