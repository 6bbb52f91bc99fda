import type { EventRecorder } from '@rxlet/component-base/events';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { podEventObject, podUid } from '@rxlet/pod-model';
import { resizeMessage } from '@rxlet/pod-model/resize';
import type { PodSyncResult } from '@rxlet/runtime-manager';

/** Outcomes of resizes in place (KEP-1287), for the condition `PodResizeInProgress` and the events of the pod. */
export interface ResizeOutcomes {
  /** Records the resize of a sync, if there was one. A failure is an event. */
  record(pod: Pod, result: PodSyncResult): void;
  /** Returns the message of the last resize if it failed. */
  errorOf(podUid: string): string | undefined;
  /** Reports the end of a resize that the previous status shows as in progress. */
  statusGenerated(pod: Pod, previous: PodStatus, isInProgress: boolean): void;
  forget(podUid: string): void;
}

/** Creates {@link ResizeOutcomes}. */
export function createResizeOutcomes(events: EventRecorder): ResizeOutcomes {
  const errors = new Map<string, string>();
  return {
    record(pod, { results }) {
      const resize = results.find(({ action }) => action === 'ResizePodInPlace');
      if (resize === undefined) return;
      const { reason, message = '' } = resize;
      if (reason === undefined) {
        errors.delete(podUid(pod));
        return;
      }
      errors.set(podUid(pod), message);
      events.event(podEventObject(pod), 'Warning', 'ResizeError', resizeMessage('error', pod, message));
    },
    errorOf: (uid) => errors.get(uid),
    statusGenerated(pod, { conditions = [] }, isInProgress) {
      if (isInProgress || !conditions.some(({ type }) => type === 'PodResizeInProgress')) return;
      errors.delete(podUid(pod));
      events.event(podEventObject(pod), 'Normal', 'ResizeCompleted', resizeMessage('completed', pod));
    },
    forget: (uid) => void errors.delete(uid),
  };
}
