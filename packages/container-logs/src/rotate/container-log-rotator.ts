import { dirname, basename } from 'node:path/posix';
import {
  type Clock,
  createLifetime,
  createSemaphore,
  DeadlineExceededError,
  errorMessage,
  type Logger,
  noopLogger,
  onAbort,
  withDeadline,
} from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import { ContainerState, isNotFound, type RuntimeService } from '@rxlet/cri-api';
import { exhaustMap, timer } from 'rxjs';
import { type DirectoryHandle, type FileInfo, type NodeFiles, UnsafePathError } from '@rxlet/node-files';
import { compressLog } from './compress-log.ts';
import { LogRotationError, type LogRotationErrorReason } from './log-rotation-error.ts';
import { rotateLog } from './rotate-log.ts';

/** Ports of {@link createContainerLogRotator}. */
export interface ContainerLogRotatorPorts {
  readonly runtime: Pick<RuntimeService, 'listContainers' | 'containerStatus' | 'reopenContainerLog'>;
  /** Must include the directory of pod logs. */
  readonly files: Pick<NodeFiles, 'openDirectory' | 'stat'>;
  /** Lists the running containers and their logs. The runtime is then queried only for containers with large logs. Default: it is queried for all. */
  readonly runningContainers?: (() => Iterable<RunningContainer>) | undefined;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** A running container. */
export interface RunningContainer {
  readonly id: string;
  /** Absolute path. Default: the runtime is queried. */
  readonly logPath?: string | undefined;
}

/** Options of {@link createContainerLogRotator}, after the `containerLog…` fields of KubeletConfiguration. */
export interface ContainerLogRotatorOptions {
  /** `containerLogMaxSize`: size from which a log is rotated, in bytes; negative: never. Default 10 Mi. */
  readonly maxSizeBytes?: number | undefined;
  /** `containerLogMaxFiles`: files of one log, the current one included. At least 2. Default 5. */
  readonly maxFiles?: number | undefined;
  /** `containerLogMaxWorkers`: logs that are rotated at the same time. Default 1. */
  readonly maxWorkers?: number | undefined;
  /** `containerLogMonitorInterval`: period of the checks of sizes. Default 10 s. */
  readonly monitorIntervalMs?: number | undefined;
  /** Timeout of a call to the runtime (`runtimeRequestTimeout`). Default 2 min. */
  readonly requestTimeoutMs?: number | undefined;
  /** Timeout of the compression of a file, which then stays uncompressed. Default 5 min. */
  readonly compressionTimeoutMs?: number | undefined;
  /** Timeout of the work on one container. Default 15 min. */
  readonly containerTimeoutMs?: number | undefined;
}

/**
 * Keeps the logs of running containers small (the kubelet's container log manager). Logs of containers that have
 * ended do not grow; they stay until the containers are removed.
 */
export interface ContainerLogRotator extends AsyncDisposable {
  /** Checks all logs at once and then periodically. */
  start(): void;
}

/**
 * Creates a {@link ContainerLogRotator}. Disposal interrupts rotations at a point from which a later rotator continues, and waits for them.
 * @throws LogRotationError with the reason `InvalidOption`
 */
export function createContainerLogRotator(
  { runtime, files, runningContainers, clock, logger = noopLogger }: ContainerLogRotatorPorts,
  options: ContainerLogRotatorOptions = {},
): ContainerLogRotator {
  const { maxSizeBytes, maxFiles, maxWorkers, monitorIntervalMs, requestTimeoutMs, compressionTimeoutMs } =
    checkedOptions(options);
  const { containerTimeoutMs = 900_000 } = options;
  const lifetime = createLifetime();
  const workers = createSemaphore(maxWorkers);
  /** Containers that wait for a worker or have one, also past their timeout. */
  const held = new Set<string>();
  /** Containers whose last compression failed, so that a failure is logged once and not with each rotation. */
  const uncompressed = new Set<string>();

  const call = <T>(signal: AbortSignal, request: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    withDeadline(clock, requestTimeoutMs, signal, request);

  const listRunning = async (): Promise<readonly RunningContainer[]> => {
    if (runningContainers !== undefined) return [...runningContainers()];
    const filter = { state: { state: ContainerState.CONTAINER_RUNNING } };
    const { containers } = await call(lifetime.signal, (signal) =>
      runtime.listContainers({ filter }, { signal, timeoutMs: requestTimeoutMs }),
    );
    return containers.filter(({ state }) => state === ContainerState.CONTAINER_RUNNING).map(({ id }) => ({ id }));
  };

  /** Path of the log of a container that still runs and has one. */
  const logPathOf = async (containerId: string, signal: AbortSignal): Promise<string | undefined> => {
    try {
      const { status } = await call(signal, (callSignal) =>
        runtime.containerStatus({ containerId }, { signal: callSignal, timeoutMs: requestTimeoutMs }),
      );
      if (status?.state !== ContainerState.CONTAINER_RUNNING || status.logPath === '') return undefined;
      return status.logPath;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const reopen = async (containerId: string, signal: AbortSignal): Promise<void> => {
    await call(signal, (callSignal) =>
      runtime.reopenContainerLog({ containerId }, { signal: callSignal, timeoutMs: requestTimeoutMs }),
    );
  };
  const compress = async (
    containerId: string,
    directory: DirectoryHandle,
    name: string,
    signal: AbortSignal,
  ): Promise<void> => {
    let work: Promise<void> | undefined;
    try {
      await withDeadline(clock, compressionTimeoutMs, signal, (deadline) => {
        work = compressLog(directory, name, deadline);
        return work;
      });
      uncompressed.delete(containerId);
    } catch (error) {
      // An interrupted compression still cleans up. Until then no other work may start there, and the directory must stay open.
      await work?.catch(() => undefined);
      signal.throwIfAborted();
      // Most often the disk is full. Rotation helps with that: it removes the oldest files.
      if (uncompressed.has(containerId)) return;
      uncompressed.add(containerId);
      logger.error('a rotated container log stays uncompressed', { containerId, name, error: errorMessage(error) });
    }
  };

  const tend = async (containerId: string, logPath: string, signal: AbortSignal): Promise<void> => {
    const log = basename(logPath);
    await using opened = new AsyncDisposableStack();
    let directory: DirectoryHandle | undefined;
    const look = async (): Promise<FileInfo | undefined> => {
      directory ??= opened.use((await files.openDirectory(dirname(logPath))) ?? null) ?? undefined;
      return directory?.stat(log);
    };
    let entry = await look();
    if (entry === undefined) {
      await reopen(containerId, signal);
      entry = await look();
    }
    if (entry === undefined || directory === undefined) {
      throw new LogRotationError('LogMissing', `there is no log file ${logPath}, though the runtime was asked for one`);
    }
    if (entry.kind !== 'file') throw new LogRotationError('NotAFile', `the log ${logPath} is no regular file`);
    if (entry.sizeBytes < maxSizeBytes) return;
    const rotatedTo = await rotateLog({
      directory,
      log,
      maxFiles,
      nowMs: clock.now(),
      reopen: () => reopen(containerId, signal),
      compress: (name) => compress(containerId, directory!, name, signal),
      signal,
    });
    logger.debug('rotated a container log', { containerId, logPath, rotatedTo });
  };

  /** Reports whether a log needs no rotation, without a call to the runtime. */
  const isSmall = async (logPath: string): Promise<boolean> => {
    const entry = await files.stat(logPath);
    return entry?.kind === 'file' && entry.sizeBytes < maxSizeBytes;
  };

  /** Rotates one log if needed, and reports a failure. Rejects only when it was interrupted. */
  const rotateIfNeeded = async (
    { id: containerId, logPath: known }: RunningContainer,
    signal: AbortSignal,
  ): Promise<void> => {
    let logPath = known ?? '';
    try {
      if (logPath !== '' && (await isSmall(logPath))) return;
      logPath = (await logPathOf(containerId, signal)) ?? '';
      if (logPath === '') return;
      await tend(containerId, logPath, signal);
    } catch (error) {
      signal.throwIfAborted();
      const reason = reasonOf(error);
      logger.error('rotating a container log failed', { containerId, logPath, reason, error: errorMessage(error) });
    }
  };

  const queue = (container: RunningContainer): void => {
    const { id: containerId } = container;
    if (held.has(containerId)) return;
    held.add(containerId);
    let work: Promise<void> | undefined;
    const run = (): Promise<void> =>
      withDeadline(clock, containerTimeoutMs, lifetime.signal, (signal) => {
        work = lifetime.track(rotateIfNeeded(container, signal));
        return work;
      });
    const turn = workers
      .run(run, lifetime.signal)
      .catch((error: unknown) => {
        if (lifetime.signal.aborted) return;
        logger.error('rotating a container log was given up', { containerId, error: errorMessage(error) });
      })
      // Work past its timeout still uses the files, so that no other work on them may start.
      .then(() => work?.catch(() => undefined))
      .then(() => void held.delete(containerId));
    void lifetime.track(turn);
  };

  /** Returns the containers whose logs may need rotation, with one deadline for all: nearly all logs are small. A log that cannot be checked in time is among them. */
  const withoutSmallLogs = async (running: readonly RunningContainer[]): Promise<readonly RunningContainer[]> => {
    const small = new Set<RunningContainer>();
    const check = async (signal: AbortSignal): Promise<void> => {
      for (const container of running) {
        if (signal.aborted) return;
        const { id, logPath = '' } = container;
        if (logPath === '' || held.has(id)) continue;
        if (await isSmall(logPath).catch(() => false)) small.add(container);
      }
    };
    try {
      await withDeadline(clock, containerTimeoutMs, lifetime.signal, check);
    } catch (error) {
      if (!(error instanceof DeadlineExceededError)) throw error;
    }
    return running.filter((container) => !small.has(container));
  };

  const queueAll = async (): Promise<void> => {
    try {
      const running = await listRunning();
      const ids = new Set(running.map(({ id }) => id));
      for (const id of uncompressed) if (!ids.has(id)) uncompressed.delete(id);
      for (const container of await withoutSmallLogs(running)) queue(container);
    } catch (error) {
      if (lifetime.signal.aborted) return;
      logger.error('listing containers to rotate their logs failed', { error: errorMessage(error) });
    }
  };

  let started = false;
  return {
    start() {
      if (started || maxSizeBytes < 0 || lifetime.signal.aborted) return;
      started = true;
      const rounds$ = timer(0, monitorIntervalMs, clock.scheduler).pipe(exhaustMap(() => lifetime.track(queueAll())));
      const subscription = follow(rounds$, { task: 'rotating container logs', logger });
      onAbort(lifetime.signal, () => subscription.unsubscribe());
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function reasonOf(error: unknown): LogRotationErrorReason {
  if (error instanceof LogRotationError) return error.reason;
  return error instanceof UnsafePathError ? 'UnsafePath' : 'Failed';
}

function checkedOptions({
  maxSizeBytes = 10 * 1024 * 1024,
  maxFiles = 5,
  maxWorkers = 1,
  monitorIntervalMs = 10_000,
  requestTimeoutMs = 120_000,
  compressionTimeoutMs = 300_000,
}: ContainerLogRotatorOptions) {
  const reject = (name: string, value: number, rule: string): never => {
    throw new LogRotationError('InvalidOption', `invalid ${name} ${String(value)}, must be ${rule}`);
  };
  if (Number.isNaN(maxSizeBytes) || maxSizeBytes >= 2 ** 63) reject('maxSizeBytes', maxSizeBytes, 'less than 2^63');
  if (!Number.isInteger(maxFiles) || maxFiles < 2) reject('maxFiles', maxFiles, 'a whole number > 1');
  if (!Number.isInteger(maxWorkers) || maxWorkers < 1) reject('maxWorkers', maxWorkers, 'a whole number > 0');
  if (!(monitorIntervalMs > 0)) reject('monitorIntervalMs', monitorIntervalMs, '> 0');
  return { maxSizeBytes, maxFiles, maxWorkers, monitorIntervalMs, requestTimeoutMs, compressionTimeoutMs };
}
