import type { Container, Pod } from '@rxlet/kube-api';
import { effectiveRestartPolicy } from '@rxlet/pod-model/restart';

/**
 * Rules by which a container restarts, whatever the policy of its pod.
 *
 * - `failures`: it restarts after all codes but 0.
 * - `code`: it restarts after one code alone.
 * - `restart-all`: all containers of the pod restart after that code, and none after others.
 */
export type RestartRule = 'failures' | 'code' | 'restart-all';

/** The exit code of the rules. */
export const RULE_CODE = 42;

const RULES: Readonly<Record<RestartRule, Pick<Container, 'restartPolicy' | 'restartPolicyRules'>>> = {
  failures: { restartPolicy: 'OnFailure' },
  code: {
    restartPolicy: 'Never',
    restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [RULE_CODE] } }],
  },
  'restart-all': {
    restartPolicy: 'Never',
    restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [RULE_CODE] } }],
  },
};
export const RESTART_RULES: readonly RestartRule[] = Object.keys(RULES) as RestartRule[];

/** Returns the fields of a container with a rule. */
export function withRestartRule(rule: RestartRule): Pick<Container, 'restartPolicy' | 'restartPolicyRules'> {
  return RULES[rule];
}

/** Returns the exit codes of a container upon which all containers of its pod must restart. */
export function restartAllCodes({ restartPolicyRules = [] }: Container): readonly number[] {
  return restartPolicyRules.flatMap(({ action, exitCodes }) =>
    action === 'RestartAllContainers' ? (exitCodes?.values ?? []) : [],
  );
}

/** Returns the containers of a pod that restart after each exit. */
export function endlessContainers(pod: Pod): readonly Container[] {
  return (pod.spec?.containers ?? []).filter((one) => effectiveRestartPolicy(one, pod) === 'Always');
}
