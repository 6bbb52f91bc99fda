import type { PodSpec } from '@rxlet/kube-api';
import type { Report } from '@rxlet/pod-model/validation';

/** Fields that Windows does not support. */
const notOnWindows = {
  spec: ['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace'],
  pod: [
    ...[
      'appArmorProfile',
      'seLinuxOptions',
      'seccompProfile',
      'fsGroup',
      'fsGroupChangePolicy',
      'sysctls',
      'runAsUser',
    ],
    ...['runAsGroup', 'supplementalGroups', 'supplementalGroupsPolicy', 'seLinuxChangePolicy'],
  ],
  container: [
    ...['appArmorProfile', 'seLinuxOptions', 'seccompProfile', 'capabilities', 'readOnlyRootFilesystem', 'privileged'],
    ...['allowPrivilegeEscalation', 'procMount', 'runAsUser', 'runAsGroup'],
  ],
} as const;

/** Checks that a pod uses no field that its operating system does not support. */
export function validateOs(spec: PodSpec, at: string, report: Report): void {
  const name = spec.os?.name;
  if (!name) return report.required(`${at}.os.name`);
  if (name !== 'linux' && name !== 'windows') return report.oneOf(`${at}.os`, name, ['linux', 'windows']);
  const forbid = (holder: object | undefined, fields: readonly string[], field: string): void => {
    for (const part of fields) {
      if (holder !== undefined && part in holder) report.forbidden(`${field}.${part}`, `is not possible on ${name}`);
    }
  };
  const linux = name === 'linux';
  if (!linux) forbid(spec, notOnWindows.spec, at);
  forbid(spec.securityContext, linux ? ['windowsOptions'] : notOnWindows.pod, `${at}.securityContext`);
  for (const list of ['initContainers', 'containers'] as const) {
    spec[list]?.forEach(({ securityContext }, index) =>
      forbid(
        securityContext,
        linux ? ['windowsOptions'] : notOnWindows.container,
        `${at}.${list}[${String(index)}].securityContext`,
      ),
    );
  }
}
