import type { MirrorPods } from '@rxlet/agent-api/statuses';
import { type Clock, createLifetime, errorMessage, type Logger, sleep } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { formatPod, podFullName } from '@rxlet/pod-model';

/** {@link MirrorPods} whose calls never wait for the API server. */
export interface BackgroundMirrorPods extends Required<MirrorPods>, AsyncDisposable {}

/** Ports of {@link inBackground}. */
export interface BackgroundMirrorPodsPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Reports whether a static pod still needs a mirror. */
  readonly isDesired: (pod: Pod) => boolean;
}

/** Pause after the first failure, as of the kubelet until the node is registered. Each further one doubles it. */
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 60_000;

/**
 * Reconciles mirror pods in the background: a static pod must not wait for an API server that does not answer. At most one call for each pod runs, and it is followed by
 * one for the latest version. A failed call is repeated until the pod is gone, because a pod that has ended is not synced again (kubelet: fastStaticPodsRegistration).
 */
export function inBackground(
  mirrorPods: Required<MirrorPods>,
  { clock, logger, isDesired }: BackgroundMirrorPodsPorts,
): BackgroundMirrorPods {
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const pending = new Map<string, Pod>();
  const running = new Set<string>();

  const run = async (fullName: string): Promise<void> => {
    running.add(fullName);
    let retryMs = FIRST_RETRY_MS;
    for (let pod = pending.get(fullName); pod !== undefined; pod = pending.get(fullName)) {
      pending.delete(fullName);
      try {
        await mirrorPods.reconcile(pod, signal);
        retryMs = FIRST_RETRY_MS;
      } catch (error) {
        if (signal.aborted) break;
        logger.warn('cannot reconcile the mirror of a static pod', { pod: formatPod(pod), error: errorMessage(error) });
        await sleep(clock, retryMs, signal).catch(() => undefined);
        if (signal.aborted) break;
        retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
        if (!pending.has(fullName) && isDesired(pod)) pending.set(fullName, pod);
      }
    }
    running.delete(fullName);
  };

  return {
    ...mirrorPods,
    async reconcile(pod) {
      if (signal.aborted) return;
      const fullName = podFullName(pod);
      pending.set(fullName, pod);
      if (!running.has(fullName)) void lifetime.track(run(fullName));
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
