import { errorMessage, nowNanos } from '@rxlet/component-base';
import { readRuntimePods } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { killContainer } from '../kill/kill-container.ts';
import { removeContainerWithLogs } from '../kill/remove-container.ts';
import { removeSandbox } from '../kill/remove-pod.ts';
import { type Attempt, collectLogDirectories, collectLogLinks } from './collect-logs.ts';
import { runtimeWithDeadlines } from './runtime-with-deadlines.ts';
import { type ContainerRetention, type DeadContainer, selectDeadContainers } from './select-containers.ts';
import { selectDeadSandboxes } from './select-sandboxes.ts';

/** What a garbage collection may take. */
export interface GarbageCollectionRequest extends ContainerRetention {
  /** Whether all that is left of a pod may go: nobody wants the pod any more, and nothing of it runs or is being stopped. */
  shouldContentBeRemoved(uid: string): boolean;
  /**
   * Whether every pod source has spoken. Until then `shouldContentBeRemoved` is not asked, since a pod that nobody has mentioned yet is not gone.
   */
  readonly allSourcesReady: boolean;
  /**
   * Whether dead containers and sandboxes may also be taken from pods that are still there (`shouldRuntimeBeRemoved`), as when the disk is full. Default: no.
   */
  readonly evictNonDeletedPods?: boolean;
  /** Whether what the runtime holds of a pod may go: it has ended for good, though it is still wanted. Default: of none. */
  shouldRuntimeBeRemoved?(uid: string): boolean;
  readonly signal?: AbortSignal | undefined;
}

/** What a garbage collection took, and what it could not. */
export interface GarbageCollectionResult {
  /** Ids of removed containers. */
  readonly containers: readonly string[];
  /** Ids of removed sandboxes. */
  readonly sandboxes: readonly string[];
  /** Names of removed directories under the directory of pod logs. */
  readonly logDirectories: readonly string[];
  /** What could not be removed; the next collection tries again. */
  readonly failures: readonly { readonly target: string; readonly message: string }[];
}

/**
 * Removes what has piled up: dead containers, then sandboxes without containers, then logs. What cannot be removed, or does not go in time, is logged and
 * left to the next collection. Rejects only when the runtime cannot be asked what it holds, or when it is cancelled.
 */
export async function collectGarbage(
  given: Context,
  request: GarbageCollectionRequest,
  lifetimeSignal: AbortSignal,
): Promise<GarbageCollectionResult> {
  const signal = request.signal === undefined ? lifetimeSignal : AbortSignal.any([request.signal, lifetimeSignal]);
  signal.throwIfAborted();
  const runtime = runtimeWithDeadlines(given.runtime, given.clock, given.requestTimeoutMs);
  const context: Context = { ...given, runtime };
  const isGone = (uid: string): boolean => request.allSourcesReady && request.shouldContentBeRemoved(uid);
  const mayGo = (uid: string): boolean =>
    isGone(uid) ||
    (request.allSourcesReady &&
      request.evictNonDeletedPods === true &&
      (request.shouldRuntimeBeRemoved?.(uid) ?? false));
  const failures: { target: string; message: string }[] = [];
  const attempt: Attempt = async (target, removal) => {
    signal.throwIfAborted();
    try {
      return await removal();
    } catch (error) {
      signal.throwIfAborted();
      failures.push({ target, message: errorMessage(error) });
      context.logger.warn('garbage collection failed', { target, error: errorMessage(error) });
      return false;
    }
  };
  context.backoff.collectGarbage();

  const containers: string[] = [];
  const before = await readRuntimePods(runtime, { runtimeName: '', signal });
  for (const dead of selectDeadContainers(before, mayGo, nowNanos(context.clock), request)) {
    const { id } = dead.container.id;
    if (await attempt(id, () => removeDead(context, dead, signal))) containers.push(id);
  }

  const sandboxes: string[] = [];
  const after = await readRuntimePods(runtime, { runtimeName: '', signal });
  for (const { id } of selectDeadSandboxes(after, mayGo)) {
    const remove = async (): Promise<boolean> => {
      await removeSandbox(context, id, signal);
      return true;
    };
    if (await attempt(id, remove)) sandboxes.push(id);
  }

  let logDirectories: string[] = [];
  await attempt(context.settings.podLogsDirectory, async () => {
    logDirectories = await collectLogDirectories(context, isGone, attempt);
    return true;
  });
  await attempt(context.containerLogsDirectory ?? '', async () => {
    await collectLogLinks(context, after, attempt, signal);
    return true;
  });
  return { containers, sandboxes, logDirectories, failures };
}

/** A container of unknown state may be running, so it is stopped first. */
async function removeDead(context: Context, { pod, container }: DeadContainer, signal: AbortSignal): Promise<boolean> {
  const { id, name, attempt, state } = container;
  if (state === 'unknown') {
    await killContainer(context, {
      pod: undefined,
      identity: pod,
      container: { id: id.id, name },
      message: 'Container is in unknown state',
      reason: 'Unknown',
      signal,
    });
  }
  await removeContainerWithLogs(context, pod, { id: id.id, name, restartCount: attempt }, signal);
  return true;
}
