import { DeadlineExceededError, errorMessage, nowNanos } from '@rxlet/component-base';
import { callErrorCode, StatusCode } from '@rxlet/cri-api';
import { readRuntimePods } from '@rxlet/pod-model/cri';
import type { Context } from '../context.ts';
import { killContainer, type KillContainerPorts } from '../kill/kill-container.ts';
import { removeContainerWithLogs, type RemoveWithLogsPorts } from '../kill/remove-container.ts';
import { removeSandbox } from '../kill/remove-pod.ts';
import { type Attempt, collectLogDirectories, collectLogLinks } from './collect-logs.ts';
import { runtimeWithDeadlines } from './runtime-with-deadlines.ts';
import { type ContainerRetention, type DeadContainer, selectDeadContainers } from './select-containers.ts';
import { selectDeadSandboxes } from './select-sandboxes.ts';

/** Limits of a garbage collection. */
export interface GarbageCollectionRequest extends ContainerRetention {
  /** Reports whether a pod's containers, sandboxes and logs may be removed: the pod was deleted or evicted, and has terminated. */
  shouldContentBeRemoved(uid: string): boolean;
  /** Whether every pod source has reported its pods. Until then `shouldContentBeRemoved` is not called, because an unknown pod may still come. */
  readonly allSourcesReady: boolean;
  /**
   * Whether dead containers and sandboxes of pods that were not deleted may be removed too (`shouldRuntimeBeRemoved`), as under disk pressure. Default: no.
   */
  readonly evictNonDeletedPods?: boolean;
  /** Reports whether a pod has terminated, so that its containers and sandboxes may be removed although it is still desired. Default: no pod. */
  shouldRuntimeBeRemoved?(uid: string): boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Removed items and failures of a garbage collection. */
export interface GarbageCollectionResult {
  /** Ids of removed containers. */
  readonly containers: readonly string[];
  /** Ids of removed sandboxes. */
  readonly sandboxes: readonly string[];
  /** Names of removed directories under the directory of pod logs. */
  readonly logDirectories: readonly string[];
  /** Items that could not be removed; the next collection retries them. */
  readonly failures: readonly { readonly target: string; readonly message: string }[];
}

/** Ports of {@link collectGarbage}. */
export type CollectGarbagePorts = KillContainerPorts & RemoveWithLogsPorts & Pick<Context, 'backoff'>;

/**
 * Removes dead containers, then sandboxes without containers, then logs. A removal that fails or times out is logged, and the next collection retries it.
 * A removal that times out ends those of its pod in this collection: a pod whose removals hang delays the others by one deadline, whatever it has left behind.
 * Rejects only when the runtime cannot be listed, or when it is cancelled.
 */
export async function collectGarbage(
  given: CollectGarbagePorts,
  request: GarbageCollectionRequest,
  lifetimeSignal: AbortSignal,
): Promise<GarbageCollectionResult> {
  const signal = request.signal === undefined ? lifetimeSignal : AbortSignal.any([request.signal, lifetimeSignal]);
  signal.throwIfAborted();
  const runtime = runtimeWithDeadlines(given.runtime, given.clock, given.requestTimeoutMs);
  const ports: CollectGarbagePorts = { ...given, runtime };
  const isPodRemoved = (uid: string): boolean => request.allSourcesReady && request.shouldContentBeRemoved(uid);
  const isRemovable = (uid: string): boolean =>
    isPodRemoved(uid) ||
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
      ports.logger.warn('garbage collection failed', { target, error: errorMessage(error) });
      return false;
    }
  };
  const hangingPods = new Set<string>();
  const attemptOfPod = async (uid: string, target: string, removal: () => Promise<boolean>): Promise<boolean> => {
    if (hangingPods.has(uid)) return false;
    return attempt(target, async () => {
      try {
        return await removal();
      } catch (error) {
        if (isTimeout(error)) hangingPods.add(uid);
        throw error;
      }
    });
  };
  ports.backoff.collectGarbage();

  const containers: string[] = [];
  const before = await readRuntimePods(runtime, { runtimeName: '', signal });
  for (const dead of selectDeadContainers(before, isRemovable, nowNanos(ports.clock), request)) {
    const { id } = dead.container.id;
    // Earlier removals may have taken long: a static pod may have come back, and its containers have its logs.
    if (dead.isOfRemovedPod && !isRemovable(dead.pod.uid)) continue;
    if (await attemptOfPod(dead.pod.uid, id, () => removeDead(ports, dead, signal))) containers.push(id);
  }

  const sandboxes: string[] = [];
  const after = await readRuntimePods(runtime, { runtimeName: '', signal });
  for (const pod of after) {
    for (const { id } of selectDeadSandboxes(pod, isRemovable)) {
      const remove = async (): Promise<boolean> => {
        await removeSandbox(ports, id, signal);
        return true;
      };
      if (await attemptOfPod(pod.uid, id, remove)) sandboxes.push(id);
    }
  }

  let logDirectories: string[] = [];
  await attempt(ports.settings.podLogsDirectory, async () => {
    logDirectories = await collectLogDirectories(ports, isPodRemoved, attempt);
    return true;
  });
  await attempt(ports.containerLogsDirectory ?? '', async () => {
    await collectLogLinks(ports, after, attempt, signal);
    return true;
  });
  return { containers, sandboxes, logDirectories, failures };
}

/** Reports whether a call had no answer in time, by our own deadline or the client's. */
function isTimeout(error: unknown): boolean {
  return error instanceof DeadlineExceededError || callErrorCode(error) === StatusCode.DeadlineExceeded;
}

/** Removes a dead container. A container of unknown state may be running, so it is stopped first. */
async function removeDead(
  ports: KillContainerPorts & RemoveWithLogsPorts,
  { pod, container }: DeadContainer,
  signal: AbortSignal,
): Promise<boolean> {
  const { id, name, attempt, state } = container;
  if (state === 'unknown') {
    await killContainer(ports, {
      pod: undefined,
      identity: pod,
      container: { id: id.id, name },
      message: 'Container is in unknown state, try killing it before removal',
      reason: 'Unknown',
      signal,
    });
  }
  await removeContainerWithLogs(ports, pod, { id: id.id, name, restartCount: attempt }, signal);
  return true;
}
