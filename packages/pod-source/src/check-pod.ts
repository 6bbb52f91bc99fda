import type { Pod } from '@rxlet/kube-api';
import { defaultPod } from '@rxlet/pod-model/defaults';
import { listSome } from './list-some.ts';
import type { FieldProblem } from './manifest-error.ts';
import { validateLocalNames } from './validation/local-names.ts';
import { validateIdentity } from './validation/metadata.ts';
import { createReport } from './validation/report.ts';
import { validatePod, type ValidatePodOptions } from './validation/validate-pod.ts';

/** A pod that may enter the node, or the fields for which it may not. */
export type CheckedPod = { readonly pod: Pod } | { readonly problems: readonly FieldProblem[] };

/**
 * Checks a pod of any source. Its name, namespace and UID, and the names of its containers and volumes become elements of paths and keys, so they are always checked;
 * `validation` requests the defaults and the validation of the API as well. A pod that is being deleted and cannot run keeps its identity only, so that its end can be
 * confirmed.
 */
export function checkPod(pod: Pod, validation: ValidatePodOptions | undefined): CheckedPod {
  const report = createReport();
  validateIdentity(pod.metadata ?? {}, 'metadata', report);
  if (report.problems.length > 0) return { problems: report.problems };
  if (validation === undefined) {
    validateLocalNames(pod, report);
    if (report.problems.length === 0) return { pod };
    if (pod.metadata?.deletionTimestamp === undefined) return { problems: report.problems };
    const { nodeName } = pod.spec ?? {};
    return { pod: { ...pod, spec: { containers: [], ...(nodeName !== undefined && { nodeName }) } } };
  }
  const defaulted = defaultPod(pod);
  const problems = validatePod(defaulted, validation);
  return problems.length > 0 ? { problems } : { pod: defaulted };
}

/** Returns the problems as one line: `metadata.uid: is required; …`. */
export function describeFields(problems: readonly FieldProblem[]): string {
  return listSome(
    problems.map(({ field, message }) => `${field}: ${message}`),
    '; ',
  );
}
