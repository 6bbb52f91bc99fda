import { type Clock, createBackoff, errorMessage, type Logger, noopLogger, type Timer } from '@rxlet/component-base';
import type { PodStatus } from '@rxlet/kube-api';
import { isUrgent } from '../is-urgent.ts';
import type { PodStatusUpdate } from '../status-sink.ts';
import type { CheckpointFile } from './checkpoint-file.ts';
import { checkpointLine, checkpointText, parseCheckpoint } from './checkpoint-format.ts';

/**
 * Keeps the statuses of the node's pods in a file, for an agent without an API that would. After a restart a pod goes on from where it was: what was ready
 * stays ready until a probe says otherwise, what was not stays not, restarts go on being counted, and what has ended has ended.
 *
 * Disposing it writes what is not written yet.
 */
export interface StatusCheckpoint extends AsyncDisposable {
  /**
   * Reads what an earlier run has left; to be awaited before anything else. It never rejects: a file that cannot be read or used is set aside and
   * logged, and the agent begins anew.
   */
  load(): Promise<void>;
  /** The status that an earlier run has left of a pod. */
  restored(podUid: string): PodStatus | undefined;
  /** Notes the latest status of a pod, to be written soon. */
  record(update: PodStatusUpdate): void;
  /** The pod is gone. */
  forget(podUid: string): void;
  /** All pods but those are gone. */
  retain(podUids: ReadonlySet<string>): void;
}

/** What a {@link StatusCheckpoint} works with. */
export interface StatusCheckpointPorts {
  readonly clock: Clock;
  readonly file: CheckpointFile;
  readonly logger?: Logger | undefined;
}

/** Options of {@link createStatusCheckpoint}. */
export interface StatusCheckpointOptions {
  /** How long a change waits for others, so that one write takes them all. Default: 1000. */
  readonly writeDelayMs?: number | undefined;
  /** The same for readiness and ends, which a restart must not take back. Default: 50. */
  readonly urgentWriteDelayMs?: number | undefined;
  /** Longest delay before a failed write is repeated; the first is {@link writeDelayMs}, and it doubles. Default: 60 000. */
  readonly maxRetryDelayMs?: number | undefined;
  /** How long disposal waits for the last write. Default: 5000. */
  readonly flushTimeoutMs?: number | undefined;
}

/** What is known of one pod. */
interface Entry {
  readonly status: PodStatus;
  /** Not serialized yet when undefined. */
  line?: string;
}

/** Creates a {@link StatusCheckpoint}. It holds one status and one line for each pod, and writes once at a time. */
export function createStatusCheckpoint(
  ports: StatusCheckpointPorts,
  options: StatusCheckpointOptions = {},
): StatusCheckpoint {
  const { clock, file, logger = noopLogger } = ports;
  const { writeDelayMs = 1000, urgentWriteDelayMs = 50, maxRetryDelayMs = 60_000, flushTimeoutMs = 5000 } = options;
  const backoff = createBackoff({ initialMs: writeDelayMs, maxMs: maxRetryDelayMs });
  const restored = new Map<string, PodStatus>();
  const entries = new Map<string, Entry>();
  /** When the file is to be written; `Infinity` when it has all there is. On the monotonic clock, as all times here. */
  let wantedMs = Infinity;
  /** The end of the delay after a failed write. */
  let notBeforeMs = 0;
  /** The last write failed, which was said. */
  let failing = false;
  let writing: Promise<void> | undefined;
  let timer: { readonly dueMs: number; readonly handle: Timer } | undefined;
  let disposal: Promise<void> | undefined;

  const stopTimer = (): void => {
    timer?.handle[Symbol.dispose]();
    timer = undefined;
  };
  const arm = (): void => {
    const dueMs = Math.max(wantedMs, notBeforeMs);
    if (writing !== undefined || disposal !== undefined || dueMs === timer?.dueMs) return;
    stopTimer();
    if (dueMs !== Infinity) timer = { dueMs, handle: clock.setTimer(dueMs - clock.monotonicNow(), startWriting) };
  };
  const writeIn = (delayMs: number): void => {
    wantedMs = Math.min(wantedMs, clock.monotonicNow() + delayMs);
    arm();
  };
  const startWriting = (): void => {
    stopTimer();
    writing = write();
  };
  const write = async (): Promise<void> => {
    wantedMs = Infinity;
    try {
      await file.write(checkpointText(lines()));
      backoff.reset(file.path);
      if (failing) logger.info('pod statuses are saved again', { path: file.path });
      failing = false;
    } catch (error) {
      const delayMs = backoff.next(file.path, clock.monotonicNow());
      notBeforeMs = clock.monotonicNow() + delayMs;
      wantedMs = Math.min(wantedMs, notBeforeMs);
      if (!failing || disposal !== undefined) {
        logger.error(
          'pod statuses could not be saved; a restart of the agent may take ready containers for not ready',
          {
            path: file.path,
            error: errorMessage(error),
            ...(disposal === undefined && { retryInMs: delayMs }),
          },
        );
      }
      failing = true;
    }
    writing = undefined;
    arm();
  };
  function* lines(): Iterable<string> {
    for (const [podUid, entry] of entries) yield (entry.line ??= checkpointLine({ podUid, status: entry.status }));
  }
  const remove = (podUid: string): void => {
    restored.delete(podUid);
    if (entries.delete(podUid)) writeIn(writeDelayMs);
  };

  const flush = async (): Promise<void> => {
    stopTimer();
    const { promise: timeIsUp, resolve } = Promise.withResolvers<void>();
    const deadline = clock.setTimer(flushTimeoutMs, () => {
      logger.error('pod statuses could not be saved before the end', { path: file.path });
      resolve();
    });
    const lastWrite = async (): Promise<void> => {
      await writing;
      if (wantedMs !== Infinity) await write();
    };
    await Promise.race([lastWrite(), timeIsUp]);
    deadline[Symbol.dispose]();
  };

  return {
    async load() {
      try {
        const text = await file.read();
        for (const { podUid, status } of text === undefined ? [] : parseCheckpoint(text)) {
          restored.set(podUid, status);
          entries.set(podUid, { status });
        }
      } catch (error) {
        const aside = await file.setAside().catch(() => undefined);
        logger.error(
          'the saved pod statuses cannot be used; containers with readiness probes are not ready until probed',
          {
            path: file.path,
            error: errorMessage(error),
            ...(aside !== undefined && { movedTo: aside }),
          },
        );
      }
    },
    restored: (podUid) => restored.get(podUid),
    record({ pod, status }) {
      const podUid = pod.metadata?.uid ?? '';
      const before = entries.get(podUid)?.status ?? {};
      restored.delete(podUid);
      entries.set(podUid, { status });
      writeIn(isUrgent(before, status) ? urgentWriteDelayMs : writeDelayMs);
    },
    forget: remove,
    retain(podUids) {
      for (const podUid of [...entries.keys()]) if (!podUids.has(podUid)) remove(podUid);
    },
    [Symbol.asyncDispose]: () => (disposal ??= flush()),
  };
}
