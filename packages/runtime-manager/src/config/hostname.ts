import { goQuote } from '@rxlet/component-base/go';
import type { Pod } from '@rxlet/kube-api';
import { sandboxConfigError } from './config-error.ts';
import { dnsLabelProblems, dnsSubdomainProblems } from './name-problems.ts';

/** Host name and domain of a pod. */
export interface PodHostname {
  readonly hostname: string;
  /** DNS domain of the host name; empty for a pod without `subdomain`. */
  readonly domain: string;
}

/** Longest host name that the kernel accepts (Linux `__NEW_UTS_LEN`). */
const MAX_KERNEL_HOSTNAME = 64;
const MAX_LABEL = 63;

/**
 * Returns the host name and domain of a pod: its `hostnameOverride` or `hostname`, else the pod's name, cut to the length of a DNS label.
 * @throws ConfigError when a given name is not a valid DNS name
 */
export function podHostname(pod: Pod, clusterDomain: string): PodHostname {
  const spec = pod.spec!;
  const name = pod.metadata?.name ?? '';
  const override = spec.hostnameOverride;
  if (override !== undefined) {
    requireName('HostnameOverride', override, 'DNS subdomain', dnsSubdomainProblems(override));
    return { hostname: truncatedHostname(name, override), domain: '' };
  }

  const given = spec.hostname ?? '';
  if (given !== '') requireName('Hostname', given, 'DNS label', dnsLabelProblems(given));
  const hostname = truncatedHostname(name, given !== '' ? given : name);

  const subdomain = spec.subdomain ?? '';
  if (subdomain === '') return { hostname, domain: '' };
  requireName('Subdomain', subdomain, 'DNS label', dnsLabelProblems(subdomain));
  return { hostname, domain: `${subdomain}.${pod.metadata?.namespace ?? ''}.svc.${clusterDomain}` };
}

/**
 * Returns the host name for the kernel of the pod's sandbox; with `setHostnameAsFQDN`, the fully qualified one.
 * @throws ConfigError when it is longer than the kernel accepts
 */
export function kernelHostname(pod: Pod, { hostname, domain }: PodHostname): string {
  if (pod.spec!.setHostnameAsFQDN !== true || domain === '') return hostname;
  const fqdn = `${hostname}.${domain}`;
  if (fqdn.length > MAX_KERNEL_HOSTNAME) {
    throw sandboxConfigError(
      `failed to construct FQDN from pod hostname and cluster domain, FQDN ${fqdn} is too long (${String(MAX_KERNEL_HOSTNAME)} characters is the max, ${String(fqdn.length)} characters requested)`,
    );
  }
  return fqdn;
}

function requireName(field: string, name: string, form: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw sandboxConfigError(`pod ${field} ${goQuote(name)} is not a valid ${form}: ${problems.join(';')}`);
}

function truncatedHostname(podName: string, hostname: string): string {
  if (hostname.length <= MAX_LABEL) return hostname;
  const truncated = hostname.slice(0, MAX_LABEL).replace(/[-.]+$/, '');
  if (truncated === '') {
    throw sandboxConfigError(`hostname for pod ${goQuote(podName)} was invalid: ${goQuote(hostname)}`);
  }
  return truncated;
}
