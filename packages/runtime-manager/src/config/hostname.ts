import type { Pod } from '@rxlet/kube-api';
import { sandboxConfigError } from './config-error.ts';

/** What a pod is called on the network. */
export interface PodHostname {
  readonly hostname: string;
  /** The DNS domain that the host name lies in; empty for a pod without `subdomain`. */
  readonly domain: string;
}

/** The kernel's limit for a host name (Linux `__NEW_UTS_LEN`). */
const MAX_KERNEL_HOSTNAME = 64;
const MAX_LABEL = 63;
const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/**
 * The host name and domain of a pod: its `hostnameOverride` or `hostname`, else its own name cut to what a DNS label holds.
 * @throws ConfigError when a given name is no DNS name.
 */
export function podHostname(pod: Pod, clusterDomain: string): PodHostname {
  const spec = pod.spec!;
  const override = spec.hostnameOverride;
  if (override !== undefined && override !== '') {
    if (override.length > MAX_KERNEL_HOSTNAME || !dnsSubdomain.test(override)) {
      throw sandboxConfigError(`pod HostnameOverride "${override}" is not a valid DNS subdomain`);
    }
    return { hostname: override, domain: '' };
  }

  const given = spec.hostname ?? '';
  if (given !== '' && !isLabel(given)) throw sandboxConfigError(`pod Hostname "${given}" is not a valid DNS label`);
  const hostname = given !== '' ? given : truncatedHostname(pod.metadata?.name ?? '');

  const subdomain = spec.subdomain ?? '';
  if (subdomain === '') return { hostname, domain: '' };
  if (!isLabel(subdomain)) throw sandboxConfigError(`pod Subdomain "${subdomain}" is not a valid DNS label`);
  return { hostname, domain: `${subdomain}.${pod.metadata?.namespace ?? ''}.svc.${clusterDomain}` };
}

/**
 * The host name that the kernel of the pod's sandbox is given: with `setHostnameAsFQDN` the full one.
 * @throws ConfigError when that is longer than the kernel allows.
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

function isLabel(name: string): boolean {
  return name.length <= MAX_LABEL && dnsLabel.test(name);
}

function truncatedHostname(name: string): string {
  if (name.length <= MAX_LABEL) return name;
  const hostname = name.slice(0, MAX_LABEL).replace(/[-.]+$/, '');
  if (hostname === '') throw sandboxConfigError(`hostname for pod was invalid: "${name}"`);
  return hostname;
}
