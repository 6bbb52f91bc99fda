import type { PodSpec, WindowsSecurityContextOptions } from '@rxlet/kube-api';
import { checkDnsSubdomain } from '@rxlet/pod-model/validation';
import type { Report } from '@rxlet/pod-model/validation';

const MAX_GMSA_SPEC_BYTES = 64 * 1024;
const MAX_DOMAIN = 256;
const MAX_USER = 104;
const netBiosName = /^[a-zA-Z0-9][-.a-zA-Z0-9]{0,14}$/;
const dnsName = /^[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?)*$/;

/** Checks the options that a security context has for Windows. */
export function validateWindowsOptions(options: WindowsSecurityContextOptions, at: string, report: Report): void {
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  if (gmsaCredentialSpecName !== undefined)
    report.check(`${at}.gmsaCredentialSpecName`, checkDnsSubdomain(gmsaCredentialSpecName));
  if (gmsaCredentialSpec === '') report.add(`${at}.gmsaCredentialSpec`, 'must not be empty');
  if (Buffer.byteLength(gmsaCredentialSpec ?? '') > MAX_GMSA_SPEC_BYTES)
    report.add(`${at}.gmsaCredentialSpec`, 'has more than 64 KiB');
  if (runAsUserName !== undefined && !isUserName(runAsUserName))
    report.add(`${at}.runAsUserName`, `${JSON.stringify(runAsUserName)} is no name of a user, as in DOMAIN\\user`);
}

/** Checks that the host process containers of a Windows pod fit each other and the pod. */
export function validateHostProcesses(spec: PodSpec, allowPrivileged: boolean, at: string, report: Report): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = (['initContainers', 'containers'] as const).flatMap((list) =>
    (spec[list] ?? []).map(({ securityContext }, index) => ({
      field: `${at}.${list}[${String(index)}].securityContext.windowsOptions.hostProcess`,
      hostProcess: securityContext?.windowsOptions?.hostProcess,
    })),
  );
  for (const { field, hostProcess } of containers) {
    if (ofPod !== undefined && hostProcess !== undefined && hostProcess !== ofPod)
      report.add(field, `differs from that of the pod, ${String(ofPod)}`);
  }
  const hostProcesses = containers.filter(({ hostProcess }) => hostProcess ?? ofPod);
  if (hostProcesses.length === 0) return;
  if (hostProcesses.length < containers.length) report.add(at, 'all containers or none must be host processes');
  if (!spec.hostNetwork) report.add(`${at}.hostNetwork`, 'must be true for host process containers');
  if (!allowPrivileged) report.forbidden(at, 'host process containers are not allowed on this node');
}

function isUserName(name: string): boolean {
  if (name === '' || /[\u0000-\u001f\u007f]/.test(name)) return false;
  const [user = '', domain, ...more] = name.split('\\').reverse();
  if (more.length > 0) return false;
  if (domain !== undefined && (domain.length > MAX_DOMAIN || !(netBiosName.test(domain) || dnsName.test(domain))))
    return false;
  return user.length <= MAX_USER && user !== '' && !/^[. ]+$/.test(user) && !/["/\\:;|=,+*?<>@[\]]/.test(user);
}
