import { create } from '@bufbuild/protobuf';
import { type DNSConfig, DNSConfigSchema } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { formatPod, isHostNetworkPod } from '@rxlet/pod-model';
import type { NodeSettings } from './node-settings.ts';
import { optionName, type ResolvConf } from './resolv-conf.ts';

/** Something in a pod's DNS configuration that its owner should know: a Warning event about the pod. */
export interface DnsWarning {
  readonly reason: 'DNSConfigForming' | 'MissingClusterDNS';
  readonly message: string;
}

/** A pod's resolv.conf, and what had to be left out of it. */
export interface PodDns {
  readonly config: DNSConfig;
  readonly warnings: readonly DnsWarning[];
}

/** What a pod's DNS configuration depends on besides the pod. */
export interface DnsSettings extends Pick<NodeSettings, 'clusterDns' | 'clusterDomain' | 'nodeIps'> {
  /** The node's own resolv.conf; `undefined` when pods are to have nothing of it (KubeletConfiguration `resolvConf: ""`). */
  readonly resolvConf: ResolvConf | undefined;
}

/** Where names are looked up first: in the cluster, as the node does, or only where `dnsConfig` says. */
type DnsKind = 'cluster' | 'host' | 'none';

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_LINE = 2048;
const MAX_SEARCH_DOMAIN = 253;
const clusterOptions: readonly string[] = ['ndots:5'];

/**
 * Forms the resolv.conf of a pod from its `dnsPolicy` and `dnsConfig`, the cluster's DNS and the node's own resolv.conf, within the limits that
 * Kubernetes sets (3 name servers, 32 search domains of 2048 characters together).
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
    const policy = pod.spec!.dnsPolicy ?? 'ClusterFirst';
    warnings.push({
      reason: 'MissingClusterDNS',
      message: `pod: "${formatPod(pod)}". kubelet does not have ClusterDNS IP configured and cannot create Pod using "${policy}" policy. Falling back to "Default" policy.`,
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

/** Without a resolv.conf, names are asked of a resolver on the node itself. */
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
