import { type Clock, createDeadlineQueue, type EventRecorder } from '@rxlet/component-base';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase, podEventObject } from '@rxlet/pod-model';
import type { PodFailure } from '@rxlet/status-manager';

/** Pods that may run for so long only: `activeDeadlineSeconds`, counted from the start time in the pod's status. */
export interface ActiveDeadlines extends Disposable {
  /** How a pod fails that has run for as long as it may, with an event; `undefined` for any other. `held` is its latest status. */
  failureOf(pod: Pod, held: PodStatus): PodFailure | undefined;
  /** Has the pod looked at again when its time is up. */
  watch(pod: Pod, held: PodStatus | undefined): void;
  /** The pod has ended. */
  forget(podUid: string): void;
}

/** Creates {@link ActiveDeadlines}, the kubelet's activeDeadlineHandler. `wake` is called at the very end of a pod's time, which a kubelet looks for each second. */
export function createActiveDeadlines(
  clock: Clock,
  events: EventRecorder,
  wake: (podUid: string) => void,
): ActiveDeadlines {
  const queue = createDeadlineQueue<string>(clock, wake);
  const remainingMs = ({ spec }: Pod, { startTime }: PodStatus): number => {
    if (spec?.activeDeadlineSeconds === undefined || startTime === undefined) return Infinity;
    return Date.parse(startTime) + spec.activeDeadlineSeconds * 1000 - clock.now();
  };
  return {
    failureOf(pod, held) {
      // What has ended is not ended once more.
      if (isTerminalPhase(held.phase) || remainingMs(pod, held) > 0) return undefined;
      const reason = 'DeadlineExceeded';
      const message = 'Pod was active on the node longer than the specified deadline';
      events.event(podEventObject(pod), 'Normal', reason, message);
      return { reason, message };
    },
    watch(pod, held) {
      const uid = pod.metadata?.uid ?? '';
      const delayMs = held === undefined || isTerminalPhase(held.phase) ? Infinity : remainingMs(pod, held);
      if (delayMs === Infinity) queue.delete(uid);
      else queue.set(uid, delayMs);
    },
    forget: (podUid) => queue.delete(podUid),
    [Symbol.dispose]: () => queue[Symbol.dispose](),
  };
}
