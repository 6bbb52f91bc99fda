import type { AdmissionRejection } from '@rxlet/agent-api';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Metrics } from '@rxlet/component-base/metrics';
import type { Pod } from '@rxlet/kube-api';
import { podEventObject, podQosClass } from '@rxlet/pod-model';
import type { StatusManager } from '@rxlet/status-manager';
import type { JournalRecorder } from '../journal/journal-recorder.ts';
import { createRejectionCounter } from './admission.ts';

/** Ports of {@link createRejectPod}. */
export interface RejectPodPorts {
  readonly statusManager: Pick<StatusManager, 'setPodStatus'>;
  readonly events: EventRecorder;
  readonly journal: Pick<JournalRecorder, 'record'>;
  readonly metrics: Metrics;
}

/** Fails a pod that the node does not run: by its status, an event and a metric (kubelet: rejectPod). */
export type RejectPod = (pod: Pod, rejection: AdmissionRejection) => void;

/** Creates a {@link RejectPod}. */
export function createRejectPod({ statusManager, events, journal, metrics }: RejectPodPorts): RejectPod {
  const countRejection = createRejectionCounter(metrics);
  return (pod, { reason, message }) => {
    statusManager.setPodStatus(pod, {
      phase: 'Failed',
      reason,
      message: `Pod was rejected: ${message}`,
      qosClass: podQosClass(pod),
    });
    events.event(podEventObject(pod), 'Warning', reason, message);
    journal.record(pod.metadata, { kind: 'pod.rejected', outcome: { result: 'failed', reason, message } });
    countRejection(reason);
  };
}
