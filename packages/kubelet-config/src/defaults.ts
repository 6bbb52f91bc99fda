import type {
  FeatureGates,
  KubeletConfiguration,
  LoggingConfiguration,
  OutputRoutingOptions,
} from '@rxlet/component-base/kubelet-configuration';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Eviction thresholds of a node whose configuration file has none. */
export const DEFAULT_EVICTION_HARD: Readonly<Record<string, string>> = {
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
};

/** Fields whose zero has no meaning of its own and stands for the default. */
const ZERO_IS_UNSET = {
  syncFrequency: MINUTE_MS,
  fileCheckFrequency: 20 * SECOND_MS,
  httpCheckFrequency: 20 * SECOND_MS,
  address: '0.0.0.0',
  port: 10250,
  registryBurst: 10,
  eventBurst: 100,
  healthzBindAddress: '127.0.0.1',
  streamingConnectionIdleTimeout: 4 * HOUR_MS,
  nodeStatusUpdateFrequency: 10 * SECOND_MS,
  nodeLeaseDurationSeconds: 40,
  imageMinimumGCAge: 2 * MINUTE_MS,
  volumeStatsAggPeriod: MINUTE_MS,
  cgroupDriver: 'cgroupfs',
  cpuManagerPolicy: 'none',
  cpuManagerReconcilePeriod: 10 * SECOND_MS,
  memoryManagerPolicy: 'None',
  topologyManagerPolicy: 'none',
  topologyManagerScope: 'container',
  runtimeRequestTimeout: 2 * MINUTE_MS,
  hairpinMode: 'promiscuous-bridge',
  maxPods: 110,
  maxOpenFiles: 1_000_000,
  contentType: 'application/vnd.kubernetes.protobuf',
  kubeAPIBurst: 100,
  evictionPressureTransitionPeriod: 5 * MINUTE_MS,
  containerLogMaxSize: '10Mi',
  configMapAndSecretChangeDetectionStrategy: 'Watch',
  volumePluginDir: '/usr/libexec/kubernetes/kubelet-plugins/volume/exec/',
  memoryReservationPolicy: 'None',
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
  podLogsDir: '/var/log/pods',
} as const satisfies KubeletConfiguration;

/** Fields whose zero is a value: only their absence stands for the default. */
const ABSENT_IS_UNSET = {
  enableServer: true,
  registryPullQPS: 5,
  eventRecordQPS: 50,
  enableDebuggingHandlers: true,
  healthzPort: 10248,
  oomScoreAdj: -999,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  cgroupsPerQOS: true,
  resolvConf: '/etc/resolv.conf',
  cpuCFSQuota: true,
  cpuCFSQuotaPeriod: 100,
  nodeStatusMaxImages: 50,
  kubeAPIQPS: 50,
  mergeDefaultEvictionSettings: false,
  enableControllerAttachDetach: true,
  makeIPTablesUtilChains: true,
  iptablesMasqueradeBit: 14,
  iptablesDropBit: 15,
  failSwapOn: true,
  containerLogMaxFiles: 5,
  containerLogMaxWorkers: 1,
  containerLogMonitorInterval: 10 * SECOND_MS,
  enforceNodeAllocatable: ['pods'],
  enableSystemLogHandler: true,
  enableSystemLogQuery: false,
  enableProfilingHandler: true,
  enableDebugFlagsHandler: true,
  seccompDefault: false,
  failCgroupV1: true,
  memoryThrottlingFactor: 0.9,
  registerNode: true,
  localStorageCapacityIsolation: true,
} as const satisfies KubeletConfiguration;

/** Fills in the defaults of a configuration. Some fields have one only while their feature gate is enabled. */
export function applyDefaults(configuration: KubeletConfiguration, gates: FeatureGates): KubeletConfiguration {
  const { authentication, authorization, nodeStatusUpdateFrequency } = configuration;
  const set = { ...withoutZeros(configuration), ...withoutAbsent(configuration) };
  const backOff = configuration.crashLoopBackOff?.maxContainerRestartPeriod;
  return {
    ...ZERO_IS_UNSET,
    ...ABSENT_IS_UNSET,
    ...set,
    // A status that is updated at a chosen frequency is reported at it, as before reports had a frequency of their own.
    nodeStatusReportFrequency: configuration.nodeStatusReportFrequency || nodeStatusUpdateFrequency || 5 * MINUTE_MS,
    podPidsLimit: Math.max(configuration.podPidsLimit ?? -1, -1),
    serializeImagePulls: configuration.serializeImagePulls ?? (configuration.maxParallelImagePulls ?? 0) < 2,
    authentication: {
      x509: authentication?.x509 ?? {},
      webhook: {
        enabled: authentication?.webhook?.enabled ?? true,
        cacheTTL: authentication?.webhook?.cacheTTL || 2 * MINUTE_MS,
      },
      anonymous: { enabled: authentication?.anonymous?.enabled ?? false },
    },
    authorization: {
      mode: authorization?.mode || 'Webhook',
      webhook: {
        cacheAuthorizedTTL: authorization?.webhook?.cacheAuthorizedTTL || 5 * MINUTE_MS,
        cacheUnauthorizedTTL: authorization?.webhook?.cacheUnauthorizedTTL || 30 * SECOND_MS,
      },
    },
    logging: defaultLogging(configuration.logging),
    ...(gates.isEnabled('KubeletCrashLoopBackOffMax') && {
      crashLoopBackOff: { maxContainerRestartPeriod: backOff ?? 5 * MINUTE_MS },
    }),
    ...(gates.isEnabled('KubeletEnsureSecretPulledImages') && {
      imagePullCredentialsVerificationPolicy:
        configuration.imagePullCredentialsVerificationPolicy || 'NeverVerifyPreloadedImages',
    }),
  };
}

/** Returns the defaults of a kubelet without a configuration file, which are older: its server accepts every client. */
export function applyDefaultsWithoutFile(gates: FeatureGates): KubeletConfiguration {
  const defaults = applyDefaults({}, gates);
  const { authentication, authorization } = defaults;
  return {
    ...defaults,
    authentication: {
      ...authentication,
      webhook: { ...authentication?.webhook, enabled: false },
      anonymous: { enabled: true },
    },
    authorization: { ...authorization, mode: 'AlwaysAllow' },
    readOnlyPort: 10255,
  };
}

function defaultLogging(logging: LoggingConfiguration | undefined): LoggingConfiguration {
  const withBuffer = (options: OutputRoutingOptions | undefined): OutputRoutingOptions => ({
    ...options,
    infoBufferSize: options?.infoBufferSize ?? '0',
  });
  return {
    ...logging,
    format: logging?.format || 'text',
    flushFrequency: isZeroDuration(logging?.flushFrequency) ? '5s' : logging?.flushFrequency,
    options: { text: withBuffer(logging?.options?.text), json: withBuffer(logging?.options?.json) },
  };
}

function isZeroDuration(duration: string | number | undefined): boolean {
  return duration === undefined || duration === 0 || duration === '0s';
}

/** The fields that have a default for their zero, and are not zero. */
function withoutZeros(configuration: KubeletConfiguration): KubeletConfiguration {
  const fields = Object.entries(configuration) as [string, unknown][];
  return Object.fromEntries(fields.filter(([name, value]) => name in ZERO_IS_UNSET && value !== 0 && value !== ''));
}

/** The fields that have no default for their zero. */
function withoutAbsent(configuration: KubeletConfiguration): KubeletConfiguration {
  const fields = Object.entries(configuration) as [string, unknown][];
  return Object.fromEntries(fields.filter(([name, value]) => !(name in ZERO_IS_UNSET) && value !== undefined));
}
