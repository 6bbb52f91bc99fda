import type { AppArmorProfile, PodSpec, SeccompProfile, SecurityContext } from '@rxlet/kube-api';
import { checkDescendingPath, checkSysctlName, checkUserId } from '@rxlet/pod-model/validation';
import type { Report } from '@rxlet/pod-model/validation';
import { validateWindowsOptions } from './windows.ts';

/** Checks the security context of a container. */
export function validateSecurityContext(
  context: SecurityContext,
  { allowPrivileged, hostUsers }: { allowPrivileged: boolean; hostUsers: boolean },
  at: string,
  report: Report,
): void {
  const { privileged, runAsUser, runAsGroup, procMount, seccompProfile, appArmorProfile } = context;
  if (privileged && !allowPrivileged)
    report.forbidden(`${at}.privileged`, 'privileged containers are not allowed on this node');
  if (runAsUser !== undefined) report.check(`${at}.runAsUser`, checkUserId(runAsUser));
  if (runAsGroup !== undefined) report.check(`${at}.runAsGroup`, checkUserId(runAsGroup));
  if (procMount !== undefined) {
    report.oneOf(`${at}.procMount`, procMount, ['Default', 'Unmasked']);
    if (procMount === 'Unmasked' && hostUsers) report.add(`${at}.procMount`, 'Unmasked needs hostUsers: false');
  }
  if (seccompProfile) validateSeccomp(seccompProfile, `${at}.seccompProfile`, report);
  if (appArmorProfile) validateAppArmor(appArmorProfile, `${at}.appArmorProfile`, report);
  if (context.windowsOptions) validateWindowsOptions(context.windowsOptions, `${at}.windowsOptions`, report);
  if (context.allowPrivilegeEscalation !== false) return;
  if (privileged) report.add(at, 'allowPrivilegeEscalation: false and privileged: true contradict each other');
  if (context.capabilities?.add?.includes('CAP_SYS_ADMIN')) {
    report.add(at, 'allowPrivilegeEscalation: false and capability CAP_SYS_ADMIN contradict each other');
  }
}

/** Checks the security context of a pod, and what goes with it in the spec. */
export function validatePodSecurityContext(spec: PodSpec, at: string, report: Report): void {
  const context = spec.securityContext ?? {};
  for (const field of ['fsGroup', 'runAsUser', 'runAsGroup'] as const) {
    const id = context[field];
    if (id !== undefined) report.check(`${at}.${field}`, checkUserId(id));
  }
  context.supplementalGroups?.forEach((id, index) =>
    report.check(`${at}.supplementalGroups[${String(index)}]`, checkUserId(id)),
  );
  if (spec.shareProcessNamespace && spec.hostPID) {
    report.add(`${at}.shareProcessNamespace`, 'shareProcessNamespace and hostPID exclude each other');
  }
  const names = new Set<string>();
  context.sysctls?.forEach(({ name = '' }, index) => {
    const field = `${at}.sysctls[${String(index)}].name`;
    if (name === '') report.required(field);
    else if (names.has(name)) report.duplicate(field, name);
    else report.check(field, checkSysctlName(name));
    names.add(name);
    const namespaceOf = name.replaceAll('/', '.');
    if (spec.hostNetwork && namespaceOf.startsWith('net.'))
      report.add(field, 'belongs to the node when hostNetwork is true');
    if (spec.hostIPC && /^(?:kernel\.(?:shm|msg|sem)|fs\.mqueue\.)/.test(namespaceOf)) {
      report.add(field, 'belongs to the node when hostIPC is true');
    }
  });
  const enums = {
    fsGroupChangePolicy: ['OnRootMismatch', 'Always'],
    supplementalGroupsPolicy: ['Merge', 'Strict'],
    seLinuxChangePolicy: ['Recursive', 'MountOption'],
  } as const;
  for (const [field, supported] of Object.entries(enums)) {
    const value = context[field as keyof typeof enums];
    if (value !== undefined) report.oneOf(`${at}.${field}`, value, supported);
  }
  if (context.seccompProfile) validateSeccomp(context.seccompProfile, `${at}.seccompProfile`, report);
  if (context.windowsOptions) validateWindowsOptions(context.windowsOptions, `${at}.windowsOptions`, report);
  if (context.appArmorProfile) validateAppArmor(context.appArmorProfile, `${at}.appArmorProfile`, report);
}

function validateSeccomp({ type, localhostProfile }: SeccompProfile, at: string, report: Report): void {
  report.oneOf(`${at}.type`, type, ['Localhost', 'RuntimeDefault', 'Unconfined']);
  if (type !== 'Localhost') {
    if (localhostProfile !== undefined) report.add(`${at}.localhostProfile`, 'may be set only for type Localhost');
  } else if (localhostProfile === undefined)
    report.required(`${at}.localhostProfile`, 'is required for type Localhost');
  else report.check(`${at}.localhostProfile`, checkDescendingPath(localhostProfile));
}

function validateAppArmor({ type, localhostProfile }: AppArmorProfile, at: string, report: Report): void {
  report.oneOf(`${at}.type`, type, ['Localhost', 'RuntimeDefault', 'Unconfined']);
  if (type !== 'Localhost') {
    if (localhostProfile !== undefined) report.add(`${at}.localhostProfile`, 'may be set only for type Localhost');
  } else if (!localhostProfile?.trim()) report.required(`${at}.localhostProfile`, 'is required for type Localhost');
  else if (localhostProfile.trim() !== localhostProfile) report.add(`${at}.localhostProfile`, 'has spaces around it');
}
