import type { Pod, SeccompProfile } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';
import { checkDescendingPath } from '@rxlet/pod-model/validation';
import type { Report } from '@rxlet/pod-model/validation';

const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const APPARMOR_CONTAINER = 'container.apparmor.security.beta.kubernetes.io/';
const POD_DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const LOCALHOST = 'localhost/';

const SECCOMP_RUNTIME_DEFAULT = ['runtime/default', 'docker/default'];
const APPARMOR_RUNTIME_DEFAULT = ['runtime/default'];

/** Checks the annotations of a pod that have a meaning for its node, and that they do not contradict the fields that replaced them. */
export function validatePodAnnotations(pod: Pod, report: Report): void {
  const annotations = pod.metadata?.annotations ?? {};
  const at = 'metadata.annotations';
  const names = new Set(podContainers(pod).map(({ container }) => container.name));
  for (const [key, value] of Object.entries(annotations)) {
    if (key === SECCOMP_POD || key.startsWith(SECCOMP_CONTAINER)) validateSeccomp(value, `${at}.${key}`, report);
    if (key.startsWith(APPARMOR_CONTAINER)) {
      const field = `${at}[${key}]`;
      if (!names.has(key.slice(APPARMOR_CONTAINER.length))) report.add(field, 'there is no such container');
      const isKnown = value === '' || [...APPARMOR_RUNTIME_DEFAULT, 'unconfined'].includes(value);
      if (!isKnown && !value.startsWith(LOCALHOST))
        report.add(field, `${JSON.stringify(value)} is no AppArmor profile`);
    }
    if (key === POD_DELETION_COST && !isInt32(value)) report.add(`${at}[${key}]`, 'must be an integer of 32 bits');
  }
  validateAgainstFields(pod, annotations, report);
}

function validateSeccomp(profile: string, at: string, report: Report): void {
  if ([...SECCOMP_RUNTIME_DEFAULT, 'unconfined'].includes(profile)) return;
  if (profile.startsWith(LOCALHOST)) report.check(at, checkDescendingPath(profile.slice(LOCALHOST.length)));
  else report.add(at, `${JSON.stringify(profile)} is no seccomp profile`);
}

function validateAgainstFields(pod: Pod, annotations: Readonly<Record<string, string>>, report: Report): void {
  const { securityContext, os } = pod.spec ?? {};
  const ofPod = annotations[SECCOMP_POD];
  if (ofPod !== undefined && securityContext?.seccompProfile) {
    const at = 'spec.securityContext.seccompProfile';
    compareProfiles(ofPod, securityContext.seccompProfile, SECCOMP_RUNTIME_DEFAULT, at, report);
  }
  for (const list of ['initContainers', 'containers'] as const) {
    pod.spec?.[list]?.forEach(({ name, securityContext: own }, index) => {
      const at = `spec.${list}[${String(index)}].securityContext`;
      const seccomp = annotations[`${SECCOMP_CONTAINER}${name}`];
      if (seccomp !== undefined && own?.seccompProfile)
        compareProfiles(seccomp, own.seccompProfile, SECCOMP_RUNTIME_DEFAULT, `${at}.seccompProfile`, report);
      const appArmor = annotations[`${APPARMOR_CONTAINER}${name}`];
      const profile = own?.appArmorProfile ?? securityContext?.appArmorProfile;
      if (appArmor !== undefined && profile && os?.name !== 'windows')
        compareProfiles(appArmor, profile, APPARMOR_RUNTIME_DEFAULT, `${at}.appArmorProfile`, report);
    });
  }
}

function compareProfiles(
  annotation: string,
  { type, localhostProfile }: Pick<SeccompProfile, 'localhostProfile'> & { readonly type?: string },
  runtimeDefaults: readonly string[],
  at: string,
  report: Report,
): void {
  const isSameType =
    (type === 'Unconfined' && annotation === 'unconfined') ||
    (type === 'RuntimeDefault' && runtimeDefaults.includes(annotation)) ||
    (type === 'Localhost' && annotation.startsWith(LOCALHOST));
  if (!isSameType && ['Unconfined', 'RuntimeDefault', 'Localhost'].includes(type ?? ''))
    report.forbidden(`${at}.type`, `differs from the annotation, ${JSON.stringify(annotation)}`);
  else if (type === 'Localhost' && annotation !== `${LOCALHOST}${localhostProfile ?? ''}`)
    report.forbidden(`${at}.localhostProfile`, `differs from the annotation, ${JSON.stringify(annotation)}`);
}

function isInt32(text: string): boolean {
  const isDecimal = /^(?:0|-?[1-9]\d*)$/.test(text);
  return isDecimal && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;
}
