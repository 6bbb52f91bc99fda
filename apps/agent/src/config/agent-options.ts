import { type AgentOptions, type NodeFacts, readResolvConf } from '@rxlet/agent';
import type { CredentialProviders } from './credential-providers.ts';
import type { AgentSettings } from './settings.ts';

/** What the agent is told by its settings and by the node. What is not set is left to the defaults of its parts, which are the kubelet's. */
export function agentOptions(
  settings: AgentSettings,
  facts: NodeFacts,
  { providers, providersHash }: Partial<Pick<CredentialProviders, 'providers' | 'providersHash'>> = {},
): AgentOptions {
  const { nodeName, rootDirectory, podLogsDirectory, containerLogsDirectory, nodeIp, kubelet } = settings;
  return {
    nodeName,
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
    containerLogs: {
      maxSizeBytes: kubelet.containerLogMaxSize,
      maxFiles: kubelet.containerLogMaxFiles,
      maxWorkers: kubelet.containerLogMaxWorkers,
      monitorIntervalMs: kubelet.containerLogMonitorInterval,
      requestTimeoutMs: kubelet.runtimeRequestTimeout,
    },
    images: {
      // A bound on parallel pulls says that they are parallel.
      serializeImagePulls: kubelet.serializeImagePulls ?? (kubelet.maxParallelImagePulls ?? 1) === 1,
      maxParallelImagePulls: kubelet.maxParallelImagePulls,
      registryPullQps: kubelet.registryPullQPS,
      registryPullBurst: kubelet.registryBurst,
      imagePullCredentialsVerificationPolicy: kubelet.imagePullCredentialsVerificationPolicy,
      preloadedImagesVerificationAllowlist: kubelet.preloadedImagesVerificationAllowlist,
      garbageCollection: {
        imageGcHighThresholdPercent: kubelet.imageGCHighThresholdPercent,
        imageGcLowThresholdPercent: kubelet.imageGCLowThresholdPercent,
        imageMinimumGcAgeMs: kubelet.imageMinimumGCAge,
        imageMaximumGcAgeMs: kubelet.imageMaximumGCAge,
      },
      credentials: {
        providers,
        providersHash,
        dockerConfig: { rootDirectory, workingDirectory: process.cwd(), homeDirectory: process.env['HOME'] },
      },
    },
  };
}
