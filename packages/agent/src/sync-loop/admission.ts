import { errorMessage, type Metrics } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';

/** Why a pod may not run here: a reason from Kubernetes' vocabulary and a message for the pod's owner. */
export interface AdmissionRefusal {
  readonly reason: string;
  readonly message: string;
}

/**
 * Decides whether a pod may run on this node. `undefined` admits it; the first refusal of several handlers counts, and one that throws refuses.
 *
 * @param otherPods the pods that run or are to run here, those that are being stopped included
 */
export type AdmissionHandler = (pod: Pod, otherPods: readonly Pod[]) => AdmissionRefusal | undefined;

/** Asks the handlers in order. */
export function admitPod(
  handlers: readonly AdmissionHandler[],
  pod: Pod,
  otherPods: readonly Pod[],
): AdmissionRefusal | undefined {
  try {
    for (const handler of handlers) {
      const refusal = handler(pod, otherPods);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  } catch (error) {
    // Rather no pod than one that nobody could check.
    const message = `Admission failed due to ${errorMessage(error)}, which is unexpected.`;
    return { reason: 'UnexpectedAdmissionError', message };
  }
}

/** Refuses pods that ask for what the runtime manager cannot give, rather than run them without it. */
export function refuseUnsupportedFeatures(unsupportedFields: (pod: Pod) => readonly string[]): AdmissionHandler {
  return (pod) => {
    const fields = unsupportedFields(pod);
    if (fields.length === 0) return undefined;
    return { reason: 'PodFeatureUnsupported', message: `this node agent does not support ${fields.join(', ')}` };
  };
}

/** The reasons that the metric tells apart; others could come without number, from handlers of one's own. */
const COUNTED_REASONS: ReadonlySet<string> = new Set([
  'AppArmor',
  'Evicted',
  'InitContainerRestartPolicyForbidden',
  'InvalidNodeInfo',
  'NodeShutdown',
  'OutOfcpu',
  'OutOfephemeral-storage',
  'OutOfmemory',
  'OutOfpods',
  'PodFeatureUnsupported',
  'PodLevelResourcesNotSupported',
  'PodOSNotSupported',
  'PodOSSelectorNodeLabelDoesNotMatch',
  'SupplementalGroupsPolicyNotSupported',
  'SysctlForbidden',
  'TaintToleration',
  'TopologyAffinityError',
  'UnexpectedAdmissionError',
  'UnexpectedPredicateFailureType',
  'UnknownReason',
  'VolumeAttachmentLimitExceeded',
]);

/** Counts refusals, in the kubelet's metric. @returns a function that counts one of a reason. */
export function createRejectionCounter(metrics: Metrics): (reason: string) => void {
  const rejections = metrics.counter({
    name: 'kubelet_admission_rejections_total',
    help: 'Number of pods that were not admitted, by reason.',
    labelNames: ['reason'],
  });
  return (reason) => rejections.inc({ reason: countedReason(reason) });
}

function countedReason(reason: string): string {
  if (COUNTED_REASONS.has(reason)) return reason;
  return reason.startsWith('OutOf') ? 'OutOfExtendedResources' : 'Other';
}
