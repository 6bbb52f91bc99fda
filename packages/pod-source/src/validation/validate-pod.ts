import type { Pod } from '@rxlet/kube-api';
import type { FieldProblem } from '@rxlet/pod-model/validation';
import { validatePodAnnotations } from './annotations.ts';
import { validateMetadata } from '@rxlet/pod-model/validation';
import { validatePodSpec } from './pod-spec.ts';
import { createReport } from '@rxlet/pod-model/validation';

/** Settings of the node that validation depends on. */
export interface ValidatePodOptions {
  /** Whether containers may be privileged. Default: true, as for any kubelet since 1.15. */
  readonly allowPrivileged?: boolean;
}

/**
 * Checks a pod as the API server does when one is created (k8s.io/kubernetes/pkg/apis/core/validation). The pod has its defaults (`defaultPod`) and, if it
 * is one of a manifest, its identity (`makeStaticPod`).
 *
 * @returns the problems; none when the pod is valid
 */
export function validatePod(pod: Pod, options: ValidatePodOptions = {}): readonly FieldProblem[] {
  const report = createReport();
  validateMetadata(pod.metadata ?? {}, 'metadata', report);
  validatePodAnnotations(pod, report);
  validatePodSpec(pod.spec ?? { containers: [] }, options.allowPrivileged ?? true, 'spec', report);
  return report.problems;
}
