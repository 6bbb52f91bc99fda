import type { Pod } from '@rxlet/kube-api';
import type { OtherPods } from './other-pods.ts';

/** Decides whether a pod may run on this node (kubelet: PodAdmitHandler). */
export interface AdmissionHandler {
  readonly name: string;
  /**
   * Returns the decision on a pod. One pod is judged at a time, and pods that come later wait, so that each decision counts the pods admitted before, unless
   * {@link AdmissionHandler.mayTakeLong} says otherwise. A throw, a
   * rejection and a decision that takes longer than the agent's deadline reject the pod with reason UnexpectedAdmissionError, unless it runs since before a restart of the
   * agent: such a pod is judged again later.
   *
   * @param others the other pods that run here or are about to
   * @param signal aborts at the deadline, and when the pod is no longer desired
   */
  admit(pod: Pod, others: OtherPods, signal: AbortSignal): AdmissionDecision | Promise<AdmissionDecision>;
  /**
   * Reports whether the decision on a pod may wait for others, such as the plugins of devices, or for an earlier pod of this kind. Default: no. After a second, such a
   * decision no longer holds up pods without one that fit beside the pod. A pod may therefore be judged more than once.
   */
  mayTakeLong?(pod: Pod): boolean;
}

/** Decision of a handler. `undefined` admits the pod as the node is; a preparation admits it once the node has been prepared. */
export type AdmissionDecision = AdmissionRejection | AdmissionPreparation | undefined;

/** Reason and message of a rejected pod, as they appear in its status and event. */
export interface AdmissionRejection {
  /** A reason in Kubernetes' vocabulary, such as `OutOfcpu`. */
  readonly reason: string;
  /** Explanation for the pod's owner. */
  readonly message: string;
}

/** Work without which the pod has no room on the node, such as the end of pods that it preempts. */
export interface AdmissionPreparation {
  /** Time after which the pod is rejected. */
  readonly timeoutMs: number;
  /**
   * Prepares the node. Called once every handler has admitted the pod, so that nothing is done in vain. A rejection rejects the pod with reason
   * UnexpectedAdmissionError.
   */
  prepare(signal: AbortSignal): Promise<void>;
}
