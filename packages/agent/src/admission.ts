import type { Pod } from '@rxlet/kube-api';

/** Why a pod may not run here: a reason from Kubernetes' vocabulary and a message for the pod's owner. */
export interface AdmissionRefusal {
  readonly reason: string;
  readonly message: string;
}

/** Decides whether a pod may run on this node. `undefined` admits it; the first refusal of several handlers counts. */
export type AdmissionHandler = (pod: Pod, otherPods: readonly Pod[]) => AdmissionRefusal | undefined;

/** Asks the handlers in order. */
export function admitPod(
  handlers: readonly AdmissionHandler[],
  pod: Pod,
  otherPods: readonly Pod[],
): AdmissionRefusal | undefined {
  for (const handler of handlers) {
    const refusal = handler(pod, otherPods);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Refuses pods that ask for what the runtime manager cannot give, rather than run them without it. */
export function refuseUnsupportedFeatures(unsupportedFields: (pod: Pod) => readonly string[]): AdmissionHandler {
  return (pod) => {
    const fields = unsupportedFields(pod);
    if (fields.length === 0) return undefined;
    return { reason: 'PodFeatureUnsupported', message: `this node agent does not support ${fields.join(', ')}` };
  };
}
