import { dirname } from 'node:path';
import type { StatusRestorer } from '@rxlet/agent-api/statuses';
import { type Clock, createBackoff, errorMessage, type Logger, noopLogger, type Timer } from '@rxlet/component-base';
import type { PodStatus } from '@rxlet/kube-api';
import type { NodeFiles } from '@rxlet/node-files';
import { isTerminalPhase, podUid } from '@rxlet/pod-model';
import { durableStatus } from '../durable-status.ts';
import { isUrgent } from '../is-urgent.ts';
import { checkpointBatch, type CheckpointEntry, parseCheckpoint } from './checkpoint-format.ts';

/**
 * Keeps the statuses of the node's pods in a file, for an agent without an API server. After a restart, a container keeps its readiness until it is probed, restart
 * counts continue, and the phase of a pod with exited containers stays terminal. Decisions of the node are not kept: the next agent admits a rejected or evicted pod
 * again.
 *
 * Changes are appended to the file, so that the cost of a change does not depend on the number of pods. The file is rewritten when it has grown to twice its
 * content. Disposal writes the remaining changes.
 *
 * `load` never rejects: an unusable file is renamed and logged.
 */
export interface StatusCheckpoint extends StatusRestorer, AsyncDisposable {}

/** Ports of a {@link StatusCheckpoint}. */
export interface StatusCheckpointPorts {
  readonly clock: Clock;
  readonly files: Pick<NodeFiles, 'makeDirectory' | 'readPrivate' | 'replaceFile' | 'appendFile' | 'rename'>;
  /** Path of the file. A missing directory is created. */
  readonly path: string;
  readonly logger?: Logger | undefined;
}

/** Options of {@link createStatusCheckpoint}. */
export interface StatusCheckpointOptions {
  /** Time in which changes are merged into one write, in milliseconds. Default: 1000. */
  readonly writeDelayMs?: number | undefined;
  /** The same for readiness and terminal phases, which a restart must not revert, and for the removal of these. Default: 50. */
  readonly urgentWriteDelayMs?: number | undefined;
  /** Maximum delay before a failed write is retried. The delay starts at {@link writeDelayMs} and doubles. Default: 60 000. */
  readonly maxRetryDelayMs?: number | undefined;
  /** Time that disposal waits for the last write. Default: 5000. */
  readonly flushTimeoutMs?: number | undefined;
}

/** Maximum size of the file, several times the checkpoint of the largest node. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Only the agent's user may read the file. */
const FILE_MODE = 0o600;
/** Mode of a missing directory, as for the root directory of the kubelet. */
const DIRECTORY_MODE = 0o750;
/** Length of appended text below which the file is not rewritten. */
const MIN_APPENDED_LENGTH = 64 * 1024;

/** Creates a {@link StatusCheckpoint}. It holds one status for each pod, and writes one batch at a time. */
export function createStatusCheckpoint(
  ports: StatusCheckpointPorts,
  options: StatusCheckpointOptions = {},
): StatusCheckpoint {
  const { clock, files, path, logger = noopLogger } = ports;
  const { writeDelayMs = 1000, urgentWriteDelayMs = 50, maxRetryDelayMs = 60_000, flushTimeoutMs = 5000 } = options;
  const backoff = createBackoff({ initialMs: writeDelayMs, maxMs: maxRetryDelayMs });
  const restored = new Map<string, PodStatus>();
  const statuses = new Map<string, PodStatus>();
  /** Pods whose entries in the file are not up to date. */
  const changed = new Set<string>();
  /** Length of the text at the last rewrite. `undefined` forces a rewrite, because the end of the file may be incomplete. */
  let wholeLength: number | undefined;
  let appendedLength = 0;
  /** Due time of the next write on the monotonic clock; `Infinity` when the file is up to date. */
  let nextWriteMs = Infinity;
  /** End of the delay after a failed write. */
  let retryMs = 0;
  /** Whether the last write failed, which was logged. */
  let failing = false;
  let writing: Promise<void> | undefined;
  let timer: { readonly dueMs: number; readonly handle: Timer } | undefined;
  let disposal: Promise<void> | undefined;

  const stopTimer = (): void => {
    timer?.handle[Symbol.dispose]();
    timer = undefined;
  };
  const arm = (): void => {
    const dueMs = Math.max(nextWriteMs, retryMs);
    if (writing !== undefined || disposal !== undefined || dueMs === timer?.dueMs) return;
    stopTimer();
    if (dueMs !== Infinity) timer = { dueMs, handle: clock.setTimer(dueMs - clock.monotonicNow(), startWriting) };
  };
  const writeIn = (delayMs: number): void => {
    nextWriteMs = Math.min(nextWriteMs, clock.monotonicNow() + delayMs);
    arm();
  };
  const startWriting = (): void => {
    stopTimer();
    writing = write();
  };
  const entries = function* (podUids: Iterable<string>): Iterable<CheckpointEntry> {
    for (const podUid of podUids) yield { podUid, status: statuses.get(podUid) ?? null };
  };
  const writeWhole = async (): Promise<void> => {
    const text = checkpointBatch(entries(statuses.keys()));
    changed.clear();
    wholeLength = undefined;
    await files.makeDirectory(dirname(path), DIRECTORY_MODE);
    await files.replaceFile(path, text, FILE_MODE);
    wholeLength = text.length;
    appendedLength = 0;
  };
  const appendChanged = async (whole: number): Promise<void> => {
    const text = checkpointBatch(entries(changed));
    changed.clear();
    // An interrupted append leaves the end of the file incomplete.
    wholeLength = undefined;
    await files.appendFile(path, text);
    wholeLength = whole;
    appendedLength += text.length;
  };
  const write = async (): Promise<void> => {
    nextWriteMs = Infinity;
    try {
      if (wholeLength === undefined || appendedLength > Math.max(wholeLength, MIN_APPENDED_LENGTH)) await writeWhole();
      else await appendChanged(wholeLength);
      backoff.reset(path);
      if (failing) logger.info('saved pod statuses after failures', { path });
      failing = false;
    } catch (error) {
      const delayMs = backoff.next(path, clock.monotonicNow());
      retryMs = clock.monotonicNow() + delayMs;
      nextWriteMs = Math.min(nextWriteMs, retryMs);
      if (!failing || disposal !== undefined) {
        logger.error(
          'cannot save pod statuses; after a restart of the agent, ready containers may count as not ready until probed',
          {
            path,
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
  const remove = (podUid: string): void => {
    restored.delete(podUid);
    const before = statuses.get(podUid);
    if (before === undefined) return;
    statuses.delete(podUid);
    changed.add(podUid);
    // A static pod may come back, and its earlier end must not count for it.
    writeIn(isTerminalPhase(before.phase) ? urgentWriteDelayMs : writeDelayMs);
  };

  const flush = async (): Promise<void> => {
    stopTimer();
    const { promise: timedOut, resolve } = Promise.withResolvers<void>();
    const deadline = clock.setTimer(flushTimeoutMs, () => {
      logger.error('cannot save pod statuses in time before the agent stops', { path });
      resolve();
    });
    const lastWrite = async (): Promise<void> => {
      await writing;
      if (nextWriteMs !== Infinity) await write();
    };
    await Promise.race([lastWrite(), timedOut]);
    deadline[Symbol.dispose]();
  };
  /** Renames an unusable file. Returns its new path; `undefined` when that fails, and the next write replaces the file. */
  const setAside = async (): Promise<string | undefined> => {
    const aside = `${path}.corrupt`;
    return files.rename(path, aside).then(
      () => aside,
      () => undefined,
    );
  };

  return {
    async load() {
      try {
        const text = await files.readPrivate(path, MAX_FILE_BYTES);
        if (text === undefined) return;
        const content = parseCheckpoint(text);
        for (const [podUid, status] of content.statuses) {
          restored.set(podUid, status);
          statuses.set(podUid, status);
        }
        const { ignoredLength } = content;
        if (ignoredLength === 0) ({ wholeLength, appendedLength } = content);
        else
          logger.info('ignored the incomplete end of the saved pod statuses', {
            path,
            ignoredLength,
          });
      } catch (error) {
        const aside = await setAside();
        logger.error('cannot use the saved pod statuses; containers with readiness probes are not ready until probed', {
          path,
          error: errorMessage(error),
          ...(aside !== undefined && { movedTo: aside }),
        });
      }
    },
    restored: (podUid) => restored.get(podUid),
    record(update) {
      const uid = podUid(update.pod);
      const before = statuses.get(uid) ?? {};
      const status = durableStatus(update.status);
      restored.delete(uid);
      statuses.set(uid, status);
      changed.add(uid);
      writeIn(isUrgent(before, status) ? urgentWriteDelayMs : writeDelayMs);
    },
    forget: remove,
    retain(podUids) {
      for (const podUid of [...statuses.keys()]) if (!podUids.has(podUid)) remove(podUid);
    },
    [Symbol.asyncDispose]: () => (disposal ??= flush()),
  };
}
