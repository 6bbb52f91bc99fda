import { type AgentOptions, type NodeFacts, readResolvConf } from '@rxlet/agent';
import type { AgentSettings } from './settings.ts';

/** What the agent is told by its settings and by the node. What is not set is left to the defaults of its parts, which are the kubelet's. */
export function agentOptions(settings: AgentSettings, facts: NodeFacts): AgentOptions {
  const { rootDirectory, podLogsDirectory, containerLogsDirectory, nodeIp, kubelet } = settings;
  return {
    node: {
      ...facts,
      rootDirectory,
      podLogsDirectory,
      nodeIps: [nodeIp],
      clusterDns: kubelet.clusterDNS ?? [],
      clusterDomain: kubelet.clusterDomain ?? '',
      cpuCfsQuota: kubelet.cpuCFSQuota ?? true,
      cpuCfsQuotaPeriodUs: (kubelet.cpuCFSQuotaPeriod ?? 100) * 1000,
      seccompDefault: kubelet.seccompDefault ?? false,
    },
    resolvConf: () => readResolvConf(kubelet.resolvConf ?? '/etc/resolv.conf'),
    containerLogsDirectory,
    requestTimeoutMs: kubelet.runtimeRequestTimeout,
    resyncIntervalMs: kubelet.syncFrequency,
    crashLoopBackoff: { maxMs: kubelet.crashLoopBackOff?.maxContainerRestartPeriod },
    images: {
      // A bound on parallel pulls says that they are parallel.
      serializeImagePulls: kubelet.serializeImagePulls ?? (kubelet.maxParallelImagePulls ?? 1) === 1,
      maxParallelImagePulls: kubelet.maxParallelImagePulls,
      registryPullQps: kubelet.registryPullQPS,
      registryPullBurst: kubelet.registryBurst,
    },
  };
}
