import { goDurationText } from '../decode/go-duration-text.ts';
import type { KubeletConfiguration, VModuleItem } from '@rxlet/component-base/kubelet-configuration';
import {
  duration,
  type FlagParser,
  FlagValueError,
  integer,
  ipAddress,
  onePair,
  pairs,
  parseBoolean,
  quantity,
  reservedMemory,
  taints,
  text,
  textList,
  verbosity,
} from './flag-values.ts';

const boolean: FlagParser = (value) => parseBoolean(value);
const int32 = integer(32);
const int64 = integer(64);

/** A flag of the kubelet. */
export interface FlagSpec {
  readonly parse: FlagParser;
  /** Whether the flag may be given without a value, which means true. */
  readonly isBoolean: boolean;
  /** Whether messages must not contain the value. */
  readonly isSecret: boolean;
  /** Path of the field of KubeletConfiguration that the flag sets; absent for a flag of the kubelet's own. */
  readonly path?: readonly string[];
}

type FieldPath = keyof KubeletConfiguration | `${'authentication' | 'authorization' | 'logging'}.${string}`;

/** Flags that set a field of KubeletConfiguration. */
const configurationFlags: readonly (readonly [name: string, path: FieldPath, parse: FlagParser])[] = [
  ['enable-server', 'enableServer', boolean],
  ['fail-swap-on', 'failSwapOn', boolean],
  ['pod-manifest-path', 'staticPodPath', text],
  ['sync-frequency', 'syncFrequency', duration],
  ['file-check-frequency', 'fileCheckFrequency', duration],
  ['http-check-frequency', 'httpCheckFrequency', duration],
  ['manifest-url', 'staticPodURL', text],
  ['manifest-url-header', 'staticPodURLHeader', (value, earlier) => readHeaders(value, earlier)],
  ['address', 'address', ipAddress],
  ['port', 'port', int32],
  ['read-only-port', 'readOnlyPort', int32],
  ['fail-cgroupv1', 'failCgroupV1', boolean],
  ['container-runtime-endpoint', 'containerRuntimeEndpoint', text],
  ['image-service-endpoint', 'imageServiceEndpoint', text],
  ['anonymous-auth', 'authentication.anonymous.enabled', boolean],
  ['authentication-token-webhook', 'authentication.webhook.enabled', boolean],
  ['authentication-token-webhook-cache-ttl', 'authentication.webhook.cacheTTL', duration],
  ['client-ca-file', 'authentication.x509.clientCAFile', text],
  ['authorization-mode', 'authorization.mode', text],
  ['authorization-webhook-cache-authorized-ttl', 'authorization.webhook.cacheAuthorizedTTL', duration],
  ['authorization-webhook-cache-unauthorized-ttl', 'authorization.webhook.cacheUnauthorizedTTL', duration],
  ['tls-cert-file', 'tlsCertFile', text],
  ['tls-private-key-file', 'tlsPrivateKeyFile', text],
  ['rotate-server-certificates', 'serverTLSBootstrap', boolean],
  ['tls-cipher-suites', 'tlsCipherSuites', textList],
  [
    'tls-curve-preferences',
    'tlsCurvePreferences',
    (value, earlier) => [
      ...((earlier as readonly number[] | undefined) ?? []),
      ...value.split(',').map((curve) => int32(curve, undefined)),
    ],
  ],
  ['tls-min-version', 'tlsMinVersion', text],
  ['rotate-certificates', 'rotateCertificates', boolean],
  ['registry-qps', 'registryPullQPS', int32],
  ['registry-burst', 'registryBurst', int32],
  ['event-qps', 'eventRecordQPS', int32],
  ['event-burst', 'eventBurst', int32],
  ['enable-debugging-handlers', 'enableDebuggingHandlers', boolean],
  ['contention-profiling', 'enableContentionProfiling', boolean],
  ['healthz-port', 'healthzPort', int32],
  ['healthz-bind-address', 'healthzBindAddress', ipAddress],
  ['oom-score-adj', 'oomScoreAdj', int32],
  ['cluster-domain', 'clusterDomain', text],
  ['volume-plugin-dir', 'volumePluginDir', text],
  ['cluster-dns', 'clusterDNS', textList],
  ['streaming-connection-idle-timeout', 'streamingConnectionIdleTimeout', duration],
  ['node-status-update-frequency', 'nodeStatusUpdateFrequency', duration],
  ['minimum-image-ttl-duration', 'imageMinimumGCAge', duration],
  ['image-gc-high-threshold', 'imageGCHighThresholdPercent', int32],
  ['image-gc-low-threshold', 'imageGCLowThresholdPercent', int32],
  ['volume-stats-agg-period', 'volumeStatsAggPeriod', duration],
  ['feature-gates', 'featureGates', pairs('=', parseBoolean)],
  ['kubelet-cgroups', 'kubeletCgroups', text],
  ['system-cgroups', 'systemCgroups', text],
  ['provider-id', 'providerID', text],
  ['cgroups-per-qos', 'cgroupsPerQOS', boolean],
  ['cgroup-driver', 'cgroupDriver', text],
  ['cgroup-root', 'cgroupRoot', text],
  ['cpu-manager-policy', 'cpuManagerPolicy', text],
  ['cpu-manager-policy-options', 'cpuManagerPolicyOptions', onePair],
  ['cpu-manager-reconcile-period', 'cpuManagerReconcilePeriod', duration],
  ['qos-reserved', 'qosReserved', pairs('=')],
  ['topology-manager-policy', 'topologyManagerPolicy', text],
  ['topology-manager-scope', 'topologyManagerScope', text],
  ['topology-manager-policy-options', 'topologyManagerPolicyOptions', onePair],
  ['runtime-request-timeout', 'runtimeRequestTimeout', duration],
  ['hairpin-mode', 'hairpinMode', text],
  ['max-pods', 'maxPods', int32],
  ['pod-cidr', 'podCIDR', text],
  ['pod-max-pids', 'podPidsLimit', int64],
  ['resolv-conf', 'resolvConf', text],
  ['runonce', 'runOnce', boolean],
  ['cpu-cfs-quota', 'cpuCFSQuota', boolean],
  ['cpu-cfs-quota-period', 'cpuCFSQuotaPeriod', duration],
  ['enable-controller-attach-detach', 'enableControllerAttachDetach', boolean],
  ['make-iptables-util-chains', 'makeIPTablesUtilChains', boolean],
  ['iptables-masquerade-bit', 'iptablesMasqueradeBit', int32],
  ['iptables-drop-bit', 'iptablesDropBit', int32],
  ['container-log-max-size', 'containerLogMaxSize', text],
  ['container-log-max-files', 'containerLogMaxFiles', int32],
  ['allowed-unsafe-sysctls', 'allowedUnsafeSysctls', textList],
  ['node-status-max-images', 'nodeStatusMaxImages', int32],
  ['kernel-memcg-notification', 'kernelMemcgNotification', boolean],
  ['local-storage-capacity-isolation', 'localStorageCapacityIsolation', boolean],
  ['max-open-files', 'maxOpenFiles', int64],
  ['kube-api-content-type', 'contentType', text],
  ['kube-api-qps', 'kubeAPIQPS', int32],
  ['kube-api-burst', 'kubeAPIBurst', int32],
  ['serialize-image-pulls', 'serializeImagePulls', boolean],
  ['eviction-hard', 'evictionHard', pairs('<')],
  ['eviction-soft', 'evictionSoft', pairs('<')],
  ['eviction-soft-grace-period', 'evictionSoftGracePeriod', pairs('=')],
  ['eviction-pressure-transition-period', 'evictionPressureTransitionPeriod', duration],
  ['eviction-max-pod-grace-period', 'evictionMaxPodGracePeriod', int32],
  ['eviction-minimum-reclaim', 'evictionMinimumReclaim', pairs('=')],
  ['pods-per-core', 'podsPerCore', int32],
  ['protect-kernel-defaults', 'protectKernelDefaults', boolean],
  ['reserved-cpus', 'reservedSystemCPUs', text],
  ['system-reserved', 'systemReserved', pairs('=')],
  ['kube-reserved', 'kubeReserved', pairs('=')],
  ['enforce-node-allocatable', 'enforceNodeAllocatable', textList],
  ['system-reserved-cgroup', 'systemReservedCgroup', text],
  ['kube-reserved-cgroup', 'kubeReservedCgroup', text],
  ['memory-manager-policy', 'memoryManagerPolicy', text],
  ['reserved-memory', 'reservedMemory', reservedMemory],
  ['register-node', 'registerNode', boolean],
  ['register-with-taints', 'registerWithTaints', taints],
  ['show-hidden-metrics-for-version', 'showHiddenMetricsForVersion', text],
  ['logging-format', 'logging.format', text],
  [
    'log-flush-frequency',
    'logging.flushFrequency',
    (value, earlier) => goDurationText(duration(value, earlier) as number),
  ],
  ['v', 'logging.verbosity', verbosity],
  ['vmodule', 'logging.vmodule', (value, earlier) => readVmodule(value, earlier)],
  ['log-text-split-stream', 'logging.options.text.splitStream', boolean],
  ['log-text-info-buffer-size', 'logging.options.text.infoBufferSize', quantity],
  ['log-json-split-stream', 'logging.options.json.splitStream', boolean],
  ['log-json-info-buffer-size', 'logging.options.json.infoBufferSize', quantity],
];

/** Deprecated flags of cAdvisor, which the kubelet still accepts. */
const CADVISOR_FLAGS: readonly (readonly [name: string, parse: FlagParser])[] = [
  ['application-metrics-count-limit', int64],
  ['boot-id-file', text],
  ['container-hints', text],
  ['containerd', text],
  ['containerd-namespace', text],
  ['enable-load-reader', boolean],
  ['event-storage-age-limit', text],
  ['event-storage-event-limit', text],
  ['global-housekeeping-interval', duration],
  ['log-cadvisor-usage', boolean],
  ['machine-id-file', text],
  ['storage-driver-buffer-duration', duration],
  ['storage-driver-db', text],
  ['storage-driver-host', text],
  ['storage-driver-password', text],
  ['storage-driver-secure', boolean],
  ['storage-driver-table', text],
  ['storage-driver-user', text],
];

/** Flags of the kubelet that are no fields of its configuration. */
const ownFlags: readonly (readonly [name: string, parse: FlagParser])[] = [
  ['config', text],
  ['config-dir', text],
  ['kubeconfig', text],
  ['bootstrap-kubeconfig', text],
  ['hostname-override', text],
  ['node-ip', text],
  ['cert-dir', text],
  ['cloud-provider', text],
  ['root-dir', text],
  // A flag of its own beside the field: either of the two turns the default on.
  ['seccomp-default', boolean],
  ['node-labels', pairs('=')],
  ['lock-file', text],
  ['exit-on-lock-contention', boolean],
  ['runtime-cgroups', text],
  ['image-credential-provider-config', text],
  ['image-credential-provider-bin-dir', text],
  ['minimum-container-ttl-duration', duration],
  ['maximum-dead-containers-per-container', int32],
  ['maximum-dead-containers', int32],
  ['experimental-mounter-path', text],
  ['experimental-allocatable-ignore-eviction', boolean],
  ['housekeeping-interval', duration],
  ...CADVISOR_FLAGS,
  ['help', boolean],
  ['version', boolean],
];

/** All flags by name. */
export const FLAGS: ReadonlyMap<string, FlagSpec> = new Map<string, FlagSpec>([
  ...configurationFlags.map(([name, path, parse]): [string, FlagSpec] => [
    name,
    { parse, isBoolean: parse === boolean, isSecret: name === 'manifest-url-header', path: path.split('.') },
  ]),
  ...ownFlags.map(([name, parse]): [string, FlagSpec] => [
    name,
    { parse, isBoolean: parse === boolean, isSecret: name === 'storage-driver-password' },
  ]),
]);

function readHeaders(value: string, earlier: unknown): Readonly<Record<string, readonly string[]>> {
  const headers = { ...(earlier as Record<string, readonly string[]> | undefined) };
  for (const header of value.split(',').filter((text) => text !== '')) {
    const index = header.indexOf(':');
    // A header may be a password, so the message is without it.
    if (index < 0) throw new FlagValueError('expected name:value');
    const name = header.slice(0, index).trim();
    headers[name] = [...(headers[name] ?? []), header.slice(index + 1).trim()];
  }
  return headers;
}

function readVmodule(value: string, earlier: unknown): readonly VModuleItem[] {
  const items = value.split(',').filter((item) => item !== '');
  return [
    ...((earlier as readonly VModuleItem[] | undefined) ?? []),
    ...items.map((item) => {
      const [, filePattern, level = ''] = /^([^=]+)=([^=]+)$/.exec(item) ?? [];
      if (filePattern === undefined) throw new FlagValueError(`"${item}" does not have the form pattern=N`);
      return { filePattern, verbosity: verbosity(level, undefined) as number };
    }),
  ];
}
