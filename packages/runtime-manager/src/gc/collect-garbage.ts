import { errorMessage } from '@rxlet/component-base';
import { podEventObject, readRuntimePods } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { MINIMUM_GRACE_SECONDS } from '../kill/grace-period.ts';
import { stopContainer } from '../kill/kill-container.ts';
import { removeContainerWithLogs } from '../kill/remove-container.ts';
import { removeSandbox } from '../kill/remove-pod.ts';
import { collectLogDirectories, collectLogLinks } from './collect-logs.ts';
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

/** Removes what has piled up: dead containers, then sandboxes without containers, then logs. Rejects only when the runtime cannot be asked what it holds. */
export async function collectGarbage(
  context: Context,
  request: GarbageCollectionRequest,
  lifetimeSignal: AbortSignal,
): Promise<GarbageCollectionResult> {
  const signal = request.signal === undefined ? lifetimeSignal : AbortSignal.any([request.signal, lifetimeSignal]);
  const isGone = (uid: string): boolean => request.allSourcesReady && request.shouldContentBeRemoved(uid);
  const failures: { target: string; message: string }[] = [];
  const attempt = async (target: string, removal: () => Promise<void>): Promise<boolean> => {
    try {
      await removal();
      return true;
    } catch (error) {
      failures.push({ target, message: errorMessage(error) });
      context.logger.warn('garbage collection failed', { target, error: errorMessage(error) });
      return false;
    }
  };
  context.backoff.collectGarbage();

  const containers: string[] = [];
  const before = await readRuntimePods(context.runtime, { runtimeName: '', signal });
  for (const dead of selectDeadContainers(before, isGone, context.clock.now(), request)) {
    const { id } = dead.container.id;
    if (await attempt(id, () => removeDead(context, dead, signal))) containers.push(id);
  }

  const sandboxes: string[] = [];
  const after = await readRuntimePods(context.runtime, { runtimeName: '', signal });
  for (const { id } of selectDeadSandboxes(after, isGone)) {
    if (await attempt(id, () => removeSandbox(context, id, signal))) sandboxes.push(id);
  }

  let logDirectories: string[] = [];
  await attempt('pod logs', async () => {
    logDirectories = await collectLogDirectories(context, isGone);
    await collectLogLinks(context, after);
  });
  return { containers, sandboxes, logDirectories, failures };
}

/** A container of unknown state may be running, so it is stopped first. */
async function removeDead(context: Context, { pod, container }: DeadContainer, signal: AbortSignal): Promise<void> {
  const { id, name, attempt, state } = container;
  if (state === 'unknown') {
    context.events.event(podEventObject({ metadata: pod }), 'Normal', 'Killing', 'Container is in unknown state');
    await stopContainer(context, id.id, MINIMUM_GRACE_SECONDS, signal);
  }
  await removeContainerWithLogs(context, pod, { id: id.id, name, restartCount: attempt }, signal);
}
