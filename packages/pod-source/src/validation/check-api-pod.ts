import type { CheckedPod } from '@rxlet/agent-api/sources';
import type { Pod } from '@rxlet/kube-api';
import { defaultPod } from '@rxlet/pod-model/defaults';
import { validatePod, type ValidatePodOptions } from './validate-pod.ts';

/** Returns a check for a pod source whose pods get the API's defaults and must pass its validation: `createManualSource('mine', { check: apiPodCheck() })`. */
export function apiPodCheck(options: ValidatePodOptions = {}): (pod: Pod) => CheckedPod {
  return (pod) => {
    const defaulted = defaultPod(pod);
    const problems = validatePod(defaulted, options);
    return problems.length > 0 ? { problems } : { pod: defaulted };
  };
}
