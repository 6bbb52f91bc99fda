import { dirname, basename } from 'node:path/posix';
import {
  type Clock,
  createLifetime,
  createSemaphore,
  errorMessage,
  type Logger,
  noopLogger,
  withDeadline,
} from '@rxlet/component-base';
import { ContainerState, isNotFound, type RuntimeService } from '@rxlet/cri-api';
import { exhaustMap, type Observable, Subject, timer } from 'rxjs';
import type { LogDirectories, LogDirectory, LogEntry } from './log-directories.ts';
import { LogRotationError, type LogRotationErrorReason } from './log-rotation-error.ts';
import { rotateLog } from './rotate-log.ts';

/** What a {@link ContainerLogRotator} needs. */
export interface ContainerLogRotatorPorts {
  readonly runtime: Pick<RuntimeService, 'listContainers' | 'containerStatus' | 'reopenContainerLog'>;
  readonly directories: LogDirectories;
  /** Running containers and their logs by what somebody knows already; the runtime is then asked about those only whose logs are large. Default: it is asked about all. */
  readonly runningContainers?: (() => Iterable<RunningContainer>) | undefined;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** A container that runs. */
export interface RunningContainer {
  readonly id: string;
  /** Absolute; where it is not known, the runtime is asked. */
  readonly logPath?: string | undefined;
}

/** Options of {@link createContainerLogRotator}, after the `containerLog…` fields of KubeletConfiguration. */
export interface ContainerLogRotatorOptions {
  /** `containerLogMaxSize`: a log of this many bytes is rotated; negative: none is. Default 10 Mi. */
  readonly maxSizeBytes?: number | undefined;
  /** `containerLogMaxFiles`: files of one log, the current one included. At least 2. Default 5. */
  readonly maxFiles?: number | undefined;
  /** `containerLogMaxWorkers`: logs that are rotated at the same time. Default 1. */
  readonly maxWorkers?: number | undefined;
  /** `containerLogMonitorInterval`: how often the sizes of logs are looked at. Default 10 s. */
  readonly monitorIntervalMs?: number | undefined;
  /** What one call to the runtime may take (`runtimeRequestTimeout`). Default 2 min. */
  readonly requestTimeoutMs?: number | undefined;
  /** What compressing one file may take; after that it stays as it is. Default 5 min. */
  readonly compressionTimeoutMs?: number | undefined;
  /** How long one container may keep a worker from the others. Default 15 min. */
  readonly containerTimeoutMs?: number | undefined;
}

/** What was done about one container's log. Logs that are small enough give none. */
export interface LogRotation {
  readonly containerId: string;
  readonly logPath: string;
  /** `reopened`: the log was missing and is there again. */
  readonly outcome: 'rotated' | 'reopened' | 'failed';
  /** Name of what was the log until now, in the same directory. */
  readonly rotatedTo?: string | undefined;
  readonly reason?: LogRotationErrorReason | undefined;
  readonly message?: string | undefined;
}

/**
 * Keeps the logs of running containers small (the kubelet's container log manager). Containers that have ended write nothing more, so theirs stay as they
 * are until they are removed.
 */
export interface ContainerLogRotator extends AsyncDisposable {
  /** Looks at all logs now and then once in each interval. */
  start(): void;
  /** What was done, as it ends. Hot; completes on disposal. */
  readonly results$: Observable<LogRotation>;
}

/**
 * Creates a {@link ContainerLogRotator}. Disposing it interrupts what it does, at a point from which the next one goes on, and waits for that.
 * @throws LogRotationError with the reason `InvalidOption`
 */
export function createContainerLogRotator(
  { runtime, directories, runningContainers, clock, logger = noopLogger }: ContainerLogRotatorPorts,
  options: ContainerLogRotatorOptions = {},
): ContainerLogRotator {
  const { maxSizeBytes, maxFiles, maxWorkers, monitorIntervalMs, requestTimeoutMs, compressionTimeoutMs } =
    checkedOptions(options);
  const { containerTimeoutMs = 900_000 } = options;
  const lifetime = createLifetime();
  const results = new Subject<LogRotation>();
  lifetime.defer(() => results.complete());
  const workers = createSemaphore(maxWorkers);
  /** Containers that wait for a worker or are worked on, be it past the time they had. */
  const held = new Set<string>();
  /** Those whose last compression failed, so that it is told once and not with each rotation. */
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
    directory: LogDirectory,
    name: string,
    signal: AbortSignal,
  ): Promise<void> => {
    let work: Promise<void> | undefined;
    try {
      await withDeadline(clock, compressionTimeoutMs, signal, (deadline) => {
        work = directory.compress(name, deadline);
        return work;
      });
      uncompressed.delete(containerId);
    } catch (error) {
      // What was interrupted still tidies up; until then nobody else may work there, nor may the directory be closed.
      await work?.catch(() => undefined);
      signal.throwIfAborted();
      // Most often the disk is full. Rotation helps with that: it removes the oldest files.
      if (uncompressed.has(containerId)) return;
      uncompressed.add(containerId);
      logger.error('a rotated container log stays uncompressed', { containerId, name, error: errorMessage(error) });
    }
  };

  const tend = async (
    containerId: string,
    logPath: string,
    signal: AbortSignal,
  ): Promise<Pick<LogRotation, 'outcome' | 'rotatedTo'> | undefined> => {
    const log = basename(logPath);
    await using opened = new AsyncDisposableStack();
    let directory: LogDirectory | undefined;
    const look = async (): Promise<LogEntry | undefined> => {
      directory ??= opened.use((await directories.open(dirname(logPath))) ?? null) ?? undefined;
      return directory?.lstat(log);
    };
    let entry = await look();
    const wasMissing = entry === undefined;
    if (wasMissing) {
      await reopen(containerId, signal);
      entry = await look();
    }
    if (entry === undefined || directory === undefined) {
      throw new LogRotationError('LogMissing', `there is no log file ${logPath}, though the runtime was asked for one`);
    }
    if (!entry.isFile) throw new LogRotationError('NotAFile', `the log ${logPath} is no regular file`);
    if (entry.sizeBytes < maxSizeBytes) return wasMissing ? { outcome: 'reopened' } : undefined;
    const rotatedTo = await rotateLog({
      directory,
      log,
      maxFiles,
      nowMs: clock.now(),
      reopen: () => reopen(containerId, signal),
      compress: (name) => compress(containerId, directory!, name, signal),
      signal,
    });
    return { outcome: 'rotated', rotatedTo };
  };

  /** Whether there is nothing to do about a log, without asking the runtime. */
  const isSmall = async (logPath: string): Promise<boolean> => {
    const sizeBytes = await directories.glance(logPath);
    return sizeBytes !== undefined && sizeBytes < maxSizeBytes;
  };

  /** Looks after one log, and says what came of it. Rejects only when it was interrupted. */
  const tendAndReport = async (
    { id: containerId, logPath: known }: RunningContainer,
    signal: AbortSignal,
  ): Promise<void> => {
    let logPath = known ?? '';
    try {
      if (logPath !== '' && (await isSmall(logPath))) return;
      logPath = (await logPathOf(containerId, signal)) ?? '';
      if (logPath === '') return;
      const done = await tend(containerId, logPath, signal);
      if (done !== undefined) results.next({ containerId, logPath, ...done });
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof LogRotationError ? error.reason : 'Failed';
      const message = errorMessage(error);
      logger.error('rotating a container log failed', { containerId, logPath, reason, error: message });
      results.next({ containerId, logPath, outcome: 'failed', reason, message });
    }
  };

  const queue = (container: RunningContainer): void => {
    const { id: containerId } = container;
    if (held.has(containerId)) return;
    held.add(containerId);
    let work: Promise<void> | undefined;
    const run = (): Promise<void> =>
      withDeadline(clock, containerTimeoutMs, lifetime.signal, (signal) => {
        work = lifetime.track(tendAndReport(container, signal));
        return work;
      });
    const turn = workers
      .run(run, lifetime.signal)
      .catch((error: unknown) => {
        if (lifetime.signal.aborted) return;
        const message = errorMessage(error);
        logger.error('rotating a container log was given up', { containerId, error: message });
        results.next({ containerId, logPath: '', outcome: 'failed', reason: 'Failed', message });
      })
      // What outlives its time still works on the files: nobody else may then.
      .then(() => work?.catch(() => undefined))
      .then(() => void held.delete(containerId));
    void lifetime.track(turn);
  };

  const queueAll = async (): Promise<void> => {
    try {
      const running = await listRunning();
      const ids = new Set(running.map(({ id }) => id));
      for (const id of uncompressed) if (!ids.has(id)) uncompressed.delete(id);
      for (const container of running) queue(container);
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
      const subscription = timer(0, monitorIntervalMs, clock.scheduler)
        .pipe(exhaustMap(() => lifetime.track(queueAll())))
        .subscribe();
      lifetime.signal.addEventListener('abort', () => subscription.unsubscribe(), { once: true });
    },
    results$: results.asObservable(),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function checkedOptions({
  maxSizeBytes = 10 * 1024 * 1024,
  maxFiles = 5,
  maxWorkers = 1,
  monitorIntervalMs = 10_000,
  requestTimeoutMs = 120_000,
  compressionTimeoutMs = 300_000,
}: ContainerLogRotatorOptions) {
  const refuse = (name: string, value: number, rule: string): never => {
    throw new LogRotationError('InvalidOption', `invalid ${name} ${String(value)}, must be ${rule}`);
  };
  if (Number.isNaN(maxSizeBytes) || maxSizeBytes >= 2 ** 63) refuse('maxSizeBytes', maxSizeBytes, 'less than 2^63');
  if (!Number.isInteger(maxFiles) || maxFiles < 2) refuse('maxFiles', maxFiles, 'a whole number > 1');
  if (!Number.isInteger(maxWorkers) || maxWorkers < 1) refuse('maxWorkers', maxWorkers, 'a whole number > 0');
  if (!(monitorIntervalMs > 0)) refuse('monitorIntervalMs', monitorIntervalMs, '> 0');
  return { maxSizeBytes, maxFiles, maxWorkers, monitorIntervalMs, requestTimeoutMs, compressionTimeoutMs };
}
