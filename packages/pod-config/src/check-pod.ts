import type { CheckedPod } from '@rxlet/agent-api/sources';
import type { Pod } from '@rxlet/kube-api';
import { createReport, validateIdentity, validateLocalNames } from '@rxlet/pod-model/validation';

/**
 * Checks what the node relies on in a pod of any source: name, namespace and UID, and the names of its containers and volumes become elements of paths and keys. A
 * pod that is being deleted and cannot run keeps its identity only, so that its end can be confirmed.
 */
export function checkPod(pod: Pod): CheckedPod {
  const report = createReport();
  validateIdentity(pod.metadata ?? {}, 'metadata', report);
  if (report.problems.length > 0) return { problems: report.problems };
  validateLocalNames(pod, report);
  if (report.problems.length === 0) return { pod };
  if (pod.metadata?.deletionTimestamp === undefined) return { problems: report.problems };
  const { nodeName } = pod.spec ?? {};
  return { pod: { ...pod, spec: { containers: [], ...(nodeName !== undefined && { nodeName }) } } };
}

/** Checks the identity of a pod alone. */
export function checkIdentity(pod: Pod): CheckedPod {
  const report = createReport();
  validateIdentity(pod.metadata ?? {}, 'metadata', report);
  return report.problems.length > 0 ? { problems: report.problems } : { pod };
}
