import { resolve } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import type { ServingCertificatesOptions } from '@rxlet/certificates';
import { type KubeletConfiguration, KubeletConfigurationError, type LoadedConfiguration } from '@rxlet/kubelet-config';
import type { NodeStatusOptions } from '@rxlet/node-status';
import { parseQuantity, quantityValue } from '@rxlet/pod-model/quantity';
import { checkManifestHeaders, type StaticPodsFromUrlOptions, type StaticPodsOptions } from '@rxlet/pod-source';
import { defaultNodeSettings } from '@rxlet/runtime-manager';
import type { AgentOptions, NodeOptions } from '@rxlet/agent';
import type { ClusterProjections } from '../node.ts';
import type { StandaloneOptions } from '../standalone.ts';
import { toServingCertificates } from './certificate-options.ts';
import { toCgroups, toContainerMemoryQos } from './cgroups-options.ts';
import { nodeAddressesOf, nodeNameOf, rootDirectoryOf } from './flag-values.ts';
import { type KubeletApiChoices, toKubeletApi, toServerContent } from './kubelet-api-options.ts';
import type { KubeletNode } from './kubelet-node.ts';
import { toUserIds } from './user-ids.ts';
import { toNodeAdmission } from './node-admission-options.ts';
import { toNodeShutdown } from './node-shutdown-options.ts';
import { toNodeStatus } from './node-status-options.ts';
import { toCpuManager, toMemoryManager, toTopologyManager } from './resource-manager-options.ts';

/** Configuration of a kubelet, sorted by the parts of an agent that take it. */
export interface KubeletPreset {
  /** For the ports of `createAgent`. */
  readonly node: NodeOptions;
  /** For the core: the options of `createAgent`. */
  readonly options: AgentOptions;
  /** For the modules: the options of {@link standalone}. */
  readonly modules: StandaloneOptions;
  /** For the Node object in a cluster: that option of the preset `node`. */
  readonly nodeStatus: NodeStatusOptions;
  /** For projected volumes in a cluster: that option of the preset `node`. */
  readonly projections: ClusterProjections;
  /** For an agent that serves its API: that option of the presets. */
  readonly servingCertificates: ServingCertificatesOptions;
  /** For the kubelet's API over HTTPS: that option of the presets, without its content; `undefined` when it is switched off. */
  readonly kubeletApi: KubeletApiChoices | undefined;
  /** Content of `/configz` and `/flagz`. */
  readonly serverContent: ReturnType<typeof toServerContent>;
}

/**
 * Returns the configuration of an agent that takes the place of a kubelet with this configuration on this machine. Relative paths of flags are resolved
 * against the working directory.
 *
 * @throws KubeletConfigurationError for values that cannot be used
 */
export function fromKubeletConfiguration(loaded: LoadedConfiguration, node: KubeletNode): KubeletPreset {
  const { configuration } = loaded;
  const nodeOptions = toNodeOptions(loaded, node);
  return {
    node: nodeOptions,
    nodeStatus: toNodeStatus(loaded),
    projections: {
      trustBundles: loaded.gates.isEnabled('ClusterTrustBundleProjection'),
      podCertificates: loaded.gates.isEnabled('PodCertificateRequest'),
    },
    servingCertificates: toServingCertificates(loaded),
    kubeletApi: toKubeletApi(loaded),
    serverContent: toServerContent(loaded),
    options: {
      resolvConf: configuration.resolvConf,
      containerLogsDirectory: containerLogsDirectory(nodeOptions.podLogsDirectory),
      userIds: toUserIds(configuration, node),
      requestTimeoutMs: configuration.runtimeRequestTimeout,
      resyncIntervalMs: configuration.syncFrequency,
      crashLoopBackoff: { maxMs: configuration.crashLoopBackOff?.maxContainerRestartPeriod },
    },
    modules: {
      staticPods: toStaticPods(configuration),
      staticPodsFromUrl: toStaticPodsFromUrl(configuration),
      cgroups: toCgroups(loaded),
      oomEvents: {},
      podAllocation: {
        cpuManagerPolicy: configuration.cpuManagerPolicy,
        memoryManagerPolicy: configuration.memoryManagerPolicy,
        limitedSwap: nodeOptions.swap !== undefined && node.facts.swapAccounting,
      },
      topologyManager: toTopologyManager(configuration),
      nodeAdmission: toNodeAdmission(loaded),
      nodeShutdown: toNodeShutdown(loaded),
      devicePlugins: { resourceHealthStatus: loaded.gates.isEnabled('ResourceHealthStatus') },
      cpuManager: toCpuManager(loaded),
      memoryManager: toMemoryManager(configuration),
      imageCredentials: {
        credentialProviders: node.credentialProviders,
        workingDirectory: node.workingDirectory,
        homeDirectory: node.homeDirectory,
      },
      imageManagement: toImageManagement(configuration),
      containerLogs: {
        splitsStreams: loaded.gates.isEnabled('PodLogsQuerySplitStreams'),
        maxSizeBytes: readBytes('containerLogMaxSize', configuration.containerLogMaxSize),
        maxFiles: configuration.containerLogMaxFiles,
        maxWorkers: configuration.containerLogMaxWorkers,
        monitorIntervalMs: configuration.containerLogMonitorInterval,
        requestTimeoutMs: configuration.runtimeRequestTimeout,
      },
      stats: {
        volumePeriodMs: configuration.volumeStatsAggPeriod,
        onlyFromRuntime: loaded.gates.isEnabled('PodAndContainerStatsFromCRI'),
        systemCgroups: {
          kubelet: configuration.kubeletCgroups || undefined,
          runtime: (loaded.flags.get('runtime-cgroups') as string | undefined) || undefined,
          misc: configuration.systemCgroups || undefined,
        },
      },
      eviction: toEviction(configuration),
      podsApi: loaded.gates.isEnabled('PodsAPI'),
    },
  };
}

function toNodeOptions(loaded: LoadedConfiguration, node: KubeletNode): NodeOptions {
  const { configuration, flags } = loaded;
  return {
    ...node.facts,
    name: nodeNameOf(flags, node.hostname),
    rootDirectory: rootDirectoryOf(flags, defaultNodeSettings.rootDirectory),
    podLogsDirectory: configuration.podLogsDir ?? defaultNodeSettings.podLogsDirectory,
    nodeIps: nodeAddressesOf(flags, node.address),
    clusterDns: configuration.clusterDNS ?? [],
    clusterDomain: configuration.clusterDomain ?? '',
    cpuCfsQuota: configuration.cpuCFSQuota ?? defaultNodeSettings.cpuCfsQuota,
    cpuCfsQuotaPeriodUs: (configuration.cpuCFSQuotaPeriod ?? 100) * 1000,
    singleProcessOomKill: configuration.singleProcessOOMKill ?? node.facts.cgroupVersion === 1,
    swap: toSwap(configuration, node),
    memoryQos: toContainerMemoryQos(loaded, node.facts.memoryCapacityBytes),
    seccompDefault: configuration.seccompDefault === true || flags.get('seccomp-default') === true,
  };
}

/** Returns the swap for containers; `undefined` unless they may swap. @throws KubeletConfigurationError for `LimitedSwap` with cgroup v1 */
function toSwap({ memorySwap }: KubeletConfiguration, { facts }: KubeletNode): NodeOptions['swap'] {
  if (memorySwap?.swapBehavior !== 'LimitedSwap') return undefined;
  if (facts.cgroupVersion === 1) {
    const problem = 'swap feature is enabled and LimitedSwap but it is only supported with cgroupv2';
    throw new KubeletConfigurationError('start', [`${problem}: memorySwap.swapBehavior must be NoSwap here`]);
  }
  return facts.swap;
}

/** Log shippers are given `/var/log` alone: links to anywhere else would lead nowhere. */
function containerLogsDirectory(podLogsDirectory: string): string | undefined {
  return podLogsDirectory.startsWith('/var/log/') ? '/var/log/containers' : undefined;
}

function toStaticPods({ staticPodPath, fileCheckFrequency }: KubeletConfiguration): StaticPodsOptions | undefined {
  if (!staticPodPath) return undefined;
  const pathSetting = '--pod-manifest-path or staticPodPath';
  return { path: resolve(staticPodPath), pathSetting, checkPeriodMs: fileCheckFrequency };
}

function toStaticPodsFromUrl(configuration: KubeletConfiguration): StaticPodsFromUrlOptions | undefined {
  const { staticPodURL: url, staticPodURLHeader = {}, httpCheckFrequency } = configuration;
  const headers = Object.entries(staticPodURLHeader).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
  try {
    checkManifestHeaders(headers);
  } catch (error) {
    throw new KubeletConfigurationError('start', [`staticPodURLHeader: ${errorMessage(error)}`], { cause: error });
  }
  if (!url) return undefined;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    const problem = `staticPodURL (--manifest-url) "${url}" is not a URL: it must begin with http:// or https://`;
    throw new KubeletConfigurationError('start', [problem]);
  }
  return { url, headers, checkPeriodMs: httpCheckFrequency };
}

function toEviction(configuration: KubeletConfiguration): StandaloneOptions['eviction'] {
  const { evictionHard, evictionSoft, evictionSoftGracePeriod, evictionMinimumReclaim } = configuration;
  return {
    evictionHard,
    evictionSoft,
    evictionSoftGracePeriod,
    evictionMinimumReclaim,
    enforceNodeAllocatable: configuration.enforceNodeAllocatable,
    pressureTransitionPeriodMs: configuration.evictionPressureTransitionPeriod,
    maxPodGracePeriodSeconds: configuration.evictionMaxPodGracePeriod,
    localStorageCapacityIsolation: configuration.localStorageCapacityIsolation,
  };
}

function toImageManagement(configuration: KubeletConfiguration): StandaloneOptions['imageManagement'] {
  return {
    serializeImagePulls: configuration.serializeImagePulls,
    maxParallelImagePulls: configuration.maxParallelImagePulls,
    registryPullQps: configuration.registryPullQPS,
    registryPullBurst: configuration.registryBurst,
    imagePullCredentialsVerificationPolicy: verificationPolicy(configuration),
    preloadedImagesVerificationAllowlist: configuration.preloadedImagesVerificationAllowlist,
    garbageCollection: {
      imageGcHighThresholdPercent: configuration.imageGCHighThresholdPercent,
      imageGcLowThresholdPercent: configuration.imageGCLowThresholdPercent,
      imageMinimumGcAgeMs: configuration.imageMinimumGCAge,
      imageMaximumGcAgeMs: configuration.imageMaximumGCAge,
    },
  };
}

const VERIFICATION_POLICIES = [
  'NeverVerify',
  'NeverVerifyPreloadedImages',
  'NeverVerifyAllowlistedImages',
  'AlwaysVerify',
] as const;

/** Returns the policy, whose name the validation of the configuration has checked. */
function verificationPolicy({ imagePullCredentialsVerificationPolicy: name }: KubeletConfiguration) {
  return VERIFICATION_POLICIES.find((policy) => policy === name);
}

function readBytes(field: string, size: string | undefined): number | undefined {
  if (size === undefined) return undefined;
  try {
    return Number(quantityValue(parseQuantity(size)));
  } catch (error) {
    const problem = `invalid ${field} "${size}": ${errorMessage(error)}; expected a size like 10Mi`;
    throw new KubeletConfigurationError('start', [problem], { cause: error });
  }
}
