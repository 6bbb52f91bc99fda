import type { AgentOptions, NodeOptions } from '@rxlet/agent';
import type { AgentModule } from '@rxlet/agent-api';
import type { ModuleConfiguration, NodeConfiguration, SettingLookup } from '@rxlet/agent-api/configuration';
import type { KubeClients } from '@rxlet/kube-api/client';
import type { ServingCertificatesOptions } from '@rxlet/certificates';
import { toServingCertificates } from '@rxlet/certificates/configuration';
import { type KubeletConfiguration, KubeletConfigurationError, type LoadedConfiguration } from '@rxlet/kubelet-config';
import { type KubeletApiChoices, toKubeletApi } from '@rxlet/kubelet-server/configuration';
import { quantityNumber } from '@rxlet/pod-model/quantity';
import { defaultNodeSettings } from '@rxlet/runtime-manager';
import type { TracingOptions } from '@rxlet/tracing';
import { toTracing } from '@rxlet/tracing/configuration';
import { assemble, type ModuleChoices } from '../assemble.ts';
import { KUBELET_MODULES } from '../modules.ts';
import { nodeAddressesOf, nodeNameOf, rootDirectoryOf } from './flag-values.ts';
import type { KubeletNode } from './kubelet-node.ts';
import { toServerContent } from './server-content.ts';
import { toUserIds } from './user-ids.ts';

/** Modules of a configured agent. */
export interface ConfiguredModules extends ModuleChoices {
  /** Returns the options of a module by its name; `undefined` when the preset does not have it. */
  optionsByName(name: string): unknown;
  /** Returns the modules of an agent without an API server; see the preset `standalone`. */
  standalone(own?: readonly AgentModule[]): readonly AgentModule[];
  /** Returns the modules of an agent that is a node of a cluster; see the preset `node`. */
  node(clients: KubeClients, own?: readonly AgentModule[]): readonly AgentModule[];
}

/** Configuration of a kubelet, sorted by the parts of an agent that take it. */
export interface KubeletPreset {
  /** For the ports of `createAgent`. */
  readonly node: NodeOptions;
  /** For the core: the options of `createAgent`. */
  readonly options: AgentOptions;
  /** The modules, with their options. */
  readonly modules: ConfiguredModules;
  /** Options of the module `servingCertificates`, for an agent that serves the kubelet's API over HTTPS. */
  readonly servingCertificates: ServingCertificatesOptions;
  /** Options of the module `kubeletApi`, without its content; `undefined` when it is switched off. */
  readonly kubeletApi: KubeletApiChoices | undefined;
  /** Options of `createTracing` of `@rxlet/tracing`; `undefined` without the field `tracing`. */
  readonly tracing: TracingOptions | undefined;
  /** Content of `/configz` and `/flagz`. */
  readonly serverContent: ReturnType<typeof toServerContent>;
}

const noSettings: SettingLookup = { get: () => undefined };

/**
 * Returns the configuration of an agent that takes the place of a kubelet with this configuration on this machine. Relative paths of flags are resolved
 * against the working directory.
 *
 * @throws KubeletConfigurationError for values that cannot be used
 */
export async function fromKubeletConfiguration(
  loaded: LoadedConfiguration,
  node: KubeletNode,
  settings: SettingLookup = noSettings,
): Promise<KubeletPreset> {
  const { configuration } = loaded;
  const nodeOptions = toNodeOptions(loaded, node);
  return {
    node: nodeOptions,
    options: {
      resolvConf: configuration.resolvConf,
      containerLogsDirectory: containerLogsDirectory(nodeOptions.podLogsDirectory),
      userIds: toUserIds(configuration, node),
      requestTimeoutMs: configuration.runtimeRequestTimeout,
      resyncIntervalMs: configuration.syncFrequency,
      crashLoopBackoff: toCrashLoopBackoff(loaded),
      containerRetention: toContainerRetention(loaded),
    },
    modules: await configureModules({ ...loaded, ...node, settings }),
    servingCertificates: toServingCertificates(loaded),
    kubeletApi: toKubeletApi({ ...loaded, settings }),
    tracing: toTracing(loaded, nodeOptions.name ?? ''),
    serverContent: toServerContent(loaded),
  };
}

async function configureModules(node: NodeConfiguration): Promise<ConfiguredModules> {
  const options = new Map<unknown, unknown>();
  for (const entry of KUBELET_MODULES) {
    if (typeof entry === 'function') continue;
    options.set(entry, entry.options === undefined ? entry.defaults : await entry.options(node));
  }
  const choices: ModuleChoices = {
    optionsOf: <Options>(entry: ModuleConfiguration<Options>) => options.get(entry) as Options | undefined,
  };
  return {
    ...choices,
    optionsByName(name) {
      const entry = KUBELET_MODULES.find((each) => typeof each !== 'function' && each.name === name);
      return options.get(entry);
    },
    standalone: (own = []) => assemble(KUBELET_MODULES, choices, own),
    node: (clients, own = []) => assemble(KUBELET_MODULES, choices, own, clients),
  };
}

function toNodeOptions(loaded: LoadedConfiguration, node: KubeletNode): NodeOptions {
  const { configuration, flags } = loaded;
  return {
    ...node.facts,
    name: nodeNameOf(flags, node.hostname),
    rootDirectory: rootDirectoryOf(flags, defaultNodeSettings.rootDirectory),
    podLogsDirectory: configuration.podLogsDir ?? defaultNodeSettings.podLogsDirectory,
    nodeIps: nodeAddressesOf(flags, node),
    clusterDns: configuration.clusterDNS ?? [],
    clusterDomain: configuration.clusterDomain ?? '',
    cpuCfsQuota: configuration.cpuCFSQuota ?? defaultNodeSettings.cpuCfsQuota,
    cpuCfsQuotaPeriodUs: (configuration.cpuCFSQuotaPeriod ?? 100) * 1000,
    singleProcessOomKill: configuration.singleProcessOOMKill ?? node.facts.cgroupVersion === 1,
    swap: toSwap(configuration, node),
    memoryQos: toMemoryQos(loaded, node.facts.memoryCapacityBytes),
    seccompDefault: configuration.seccompDefault === true || flags.get('seccomp-default') === true,
  };
}

/** Returns the back-off of crashing containers. */
function toCrashLoopBackoff({ configuration, gates }: LoadedConfiguration): AgentOptions['crashLoopBackoff'] {
  const maxMs = configuration.crashLoopBackOff?.maxContainerRestartPeriod;
  return gates.isEnabled('ReduceDefaultCrashLoopBackOffDecay')
    ? { initialMs: 1000, maxMs: maxMs ?? 60_000 }
    : { maxMs };
}

const RETENTION_FLAGS: readonly string[] = [
  'minimum-container-ttl-duration',
  'maximum-dead-containers-per-container',
  'maximum-dead-containers',
];

/** Returns the retention of dead containers, unless it is the default. @throws KubeletConfigurationError for a negative age */
function toContainerRetention({ flags }: LoadedConfiguration): AgentOptions['containerRetention'] {
  const numberOf = (flag: string): number | undefined => flags.get(flag) as number | undefined;
  if (!RETENTION_FLAGS.some((flag) => flags.has(flag))) return undefined;
  const minAgeMs = numberOf('minimum-container-ttl-duration') ?? 0;
  if (minAgeMs < 0)
    throw new KubeletConfigurationError('start', [
      `invalid minimum garbage collection age: ${String(minAgeMs)} ms (--minimum-container-ttl-duration)`,
    ]);
  return {
    minAgeMs,
    maxPerContainer: numberOf('maximum-dead-containers-per-container') ?? 1,
    maxContainers: numberOf('maximum-dead-containers') ?? -1,
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

/** Returns the settings of memory QoS for containers; `undefined` while its feature gate is off, as by default. */
function toMemoryQos(
  { configuration, gates }: LoadedConfiguration,
  memoryCapacityBytes: bigint,
): NodeOptions['memoryQos'] {
  if (!gates.isEnabled('MemoryQoS')) return undefined;
  const { kubeReserved, systemReserved, memoryReservationPolicy, memoryThrottlingFactor = 0.9 } = configuration;
  const reservationPolicy = memoryReservationPolicy === 'TieredReservation' ? 'TieredReservation' : 'None';
  const reserved = quantityNumber(kubeReserved?.['memory']) + quantityNumber(systemReserved?.['memory']);
  const allocatableBytes = Math.max(0, Number(memoryCapacityBytes) - reserved);
  return { reservationPolicy, throttlingFactor: memoryThrottlingFactor, allocatableBytes };
}

/** Log shippers are given `/var/log` alone: links to anywhere else would lead nowhere. */
function containerLogsDirectory(podLogsDirectory: string): string | undefined {
  return podLogsDirectory.startsWith('/var/log/') ? '/var/log/containers' : undefined;
}
