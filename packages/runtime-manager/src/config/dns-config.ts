import { create } from '@bufbuild/protobuf';
import { type DNSConfig, DNSConfigSchema } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { formatPod, isHostNetworkPod } from '@rxlet/pod-model';
import type { NodeSettings } from './node-settings.ts';
import { optionName, type ResolvConf } from './resolv-conf.ts';

/** Warning event about a pod's DNS configuration. */
export interface DnsWarning {
  readonly reason: 'DNSConfigForming' | 'MissingClusterDNS';
  readonly message: string;
}

/** Content of a pod's resolv.conf, with warnings about omitted entries. */
export interface PodDns {
  readonly config: DNSConfig;
  readonly warnings: readonly DnsWarning[];
}

/** Settings of the node that a pod's DNS configuration depends on. */
export interface DnsSettings extends Pick<NodeSettings, 'clusterDns' | 'clusterDomain' | 'nodeIps'> {
  /** Content of the node's resolv.conf; `undefined` when it is not used for pods (KubeletConfiguration `resolvConf: ""`). */
  readonly resolvConf: ResolvConf | undefined;
}

/** Source of the base configuration: the cluster's DNS, the node's resolv.conf, or only `dnsConfig`. */
type DnsKind = 'cluster' | 'host' | 'none';

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_LINE = 2048;
const MAX_SEARCH_DOMAIN = 253;
const clusterOptions: readonly string[] = ['ndots:5'];

/**
 * Returns the content of a pod's resolv.conf, formed from its `dnsPolicy` and `dnsConfig`, the cluster's DNS and the node's resolv.conf. Entries beyond the
 * limits of Kubernetes (3 name servers, 32 search domains of 2048 characters together) are omitted with a warning.
 */
export function podDns(pod: Pod, settings: DnsSettings): PodDns {
  const warnings: DnsWarning[] = [];
  const base = baseConfig(pod, settings, warnings);
  const extra = pod.spec!.dnsConfig;

  const options = new Map(base.options.map((option) => [optionName(option), option]));
  for (const { name = '', value } of extra?.options ?? []) {
    options.set(name, value === undefined || value === '' ? name : `${name}:${value}`);
  }
  const servers = unique([...base.nameservers, ...(extra?.nameservers ?? [])]);
  const searches = unique([...base.searches, ...(extra?.searches ?? [])]);
  return {
    config: create(DNSConfigSchema, {
      servers: limitNameservers(servers, warnings),
      searches: limitSearches(searches, warnings),
      options: [...options.values()],
    }),
    warnings,
  };
}

function baseConfig(pod: Pod, settings: DnsSettings, warnings: DnsWarning[]): ResolvConf {
  const kind = dnsKind(pod);
  if (kind === 'none') return { nameservers: [], searches: [], options: [] };
  const host = hostConfig(settings);
  if (kind === 'host') return host;
  if (settings.clusterDns.length === 0) {
    warnings.push({
      reason: 'MissingClusterDNS',
      message: `pod: "${formatPod(pod)}". kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.`,
    });
    return host;
  }
  const { clusterDomain } = settings;
  const namespace = pod.metadata?.namespace ?? '';
  const clusterSearches =
    clusterDomain === '' ? [] : [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
  return {
    nameservers: settings.clusterDns,
    searches: [...clusterSearches, ...host.searches],
    options: clusterOptions,
  };
}

function dnsKind(pod: Pod): DnsKind {
  switch (pod.spec!.dnsPolicy) {
    case 'None':
      return 'none';
    case 'Default':
      return 'host';
    case 'ClusterFirstWithHostNet':
      return 'cluster';
    default:
      return isHostNetworkPod(pod) ? 'host' : 'cluster';
  }
}

/** Returns the node's DNS configuration; without a resolv.conf, that of a resolver on the node's loopback addresses. */
function hostConfig({ resolvConf, nodeIps }: DnsSettings): ResolvConf {
  if (resolvConf !== undefined) return resolvConf;
  const loopbacks = nodeIps.map((ip) => (ip.includes(':') ? '::1' : '127.0.0.1'));
  return { nameservers: loopbacks.length > 0 ? loopbacks : ['127.0.0.1'], searches: ['.'], options: [] };
}

function limitNameservers(servers: string[], warnings: DnsWarning[]): string[] {
  if (servers.length <= MAX_NAMESERVERS) return servers;
  const applied = servers.slice(0, MAX_NAMESERVERS);
  warnings.push({
    reason: 'DNSConfigForming',
    message: `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${applied.join(' ')}`,
  });
  return applied;
}

function limitSearches(searches: readonly string[], warnings: DnsWarning[]): string[] {
  const applied = searches.slice(0, MAX_SEARCHES).filter((domain) => domain.length <= MAX_SEARCH_DOMAIN);
  while (applied.join(' ').length > MAX_SEARCH_LINE) applied.pop();
  if (applied.length < searches.length) {
    warnings.push({
      reason: 'DNSConfigForming',
      message: `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${applied.join(' ')}`,
    });
  }
  return applied;
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}
