/**
 * Configuration of a kubelet: kind KubeletConfiguration of kubelet.config.k8s.io/v1beta1 as of Kubernetes 1.36. Fields keep their names of the API.
 * Durations are in milliseconds, quantities are canonical text. A field that is not set is absent.
 */
export interface KubeletConfiguration {
  readonly enableServer?: boolean;
  readonly staticPodPath?: string;
  readonly podLogsDir?: string;
  readonly syncFrequency?: number;
  readonly fileCheckFrequency?: number;
  readonly httpCheckFrequency?: number;
  readonly staticPodURL?: string;
  readonly staticPodURLHeader?: Readonly<Record<string, readonly string[]>>;
  readonly address?: string;
  readonly port?: number;
  readonly readOnlyPort?: number;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly tlsCipherSuites?: readonly string[];
  readonly tlsCurvePreferences?: readonly number[];
  readonly tlsMinVersion?: string;
  readonly rotateCertificates?: boolean;
  readonly serverTLSBootstrap?: boolean;
  readonly authentication?: KubeletAuthentication;
  readonly authorization?: KubeletAuthorization;
  readonly registryPullQPS?: number;
  readonly registryBurst?: number;
  readonly imagePullCredentialsVerificationPolicy?: string;
  readonly preloadedImagesVerificationAllowlist?: readonly string[];
  readonly eventRecordQPS?: number;
  readonly eventBurst?: number;
  readonly enableDebuggingHandlers?: boolean;
  readonly enableContentionProfiling?: boolean;
  readonly healthzPort?: number;
  readonly healthzBindAddress?: string;
  readonly oomScoreAdj?: number;
  readonly clusterDomain?: string;
  readonly clusterDNS?: readonly string[];
  readonly streamingConnectionIdleTimeout?: number;
  readonly nodeStatusUpdateFrequency?: number;
  readonly nodeStatusReportFrequency?: number;
  readonly nodeLeaseDurationSeconds?: number;
  readonly imageMinimumGCAge?: number;
  readonly imageMaximumGCAge?: number;
  readonly imageGCHighThresholdPercent?: number;
  readonly imageGCLowThresholdPercent?: number;
  readonly volumeStatsAggPeriod?: number;
  readonly kubeletCgroups?: string;
  readonly systemCgroups?: string;
  readonly cgroupRoot?: string;
  readonly cgroupsPerQOS?: boolean;
  readonly cgroupDriver?: string;
  readonly cpuManagerPolicy?: string;
  readonly singleProcessOOMKill?: boolean;
  readonly cpuManagerPolicyOptions?: Readonly<Record<string, string>>;
  readonly cpuManagerReconcilePeriod?: number;
  readonly memoryManagerPolicy?: string;
  readonly topologyManagerPolicy?: string;
  readonly topologyManagerScope?: string;
  readonly topologyManagerPolicyOptions?: Readonly<Record<string, string>>;
  readonly qosReserved?: Readonly<Record<string, string>>;
  readonly runtimeRequestTimeout?: number;
  readonly hairpinMode?: string;
  readonly maxPods?: number;
  readonly podCIDR?: string;
  readonly podPidsLimit?: number;
  readonly resolvConf?: string;
  readonly runOnce?: boolean;
  readonly cpuCFSQuota?: boolean;
  readonly cpuCFSQuotaPeriod?: number;
  readonly nodeStatusMaxImages?: number;
  readonly maxOpenFiles?: number;
  readonly contentType?: string;
  readonly kubeAPIQPS?: number;
  readonly kubeAPIBurst?: number;
  readonly serializeImagePulls?: boolean;
  readonly maxParallelImagePulls?: number;
  readonly evictionHard?: Readonly<Record<string, string>>;
  readonly evictionSoft?: Readonly<Record<string, string>>;
  readonly evictionSoftGracePeriod?: Readonly<Record<string, string>>;
  readonly evictionPressureTransitionPeriod?: number;
  readonly evictionMaxPodGracePeriod?: number;
  readonly evictionMinimumReclaim?: Readonly<Record<string, string>>;
  readonly mergeDefaultEvictionSettings?: boolean;
  readonly podsPerCore?: number;
  readonly enableControllerAttachDetach?: boolean;
  readonly protectKernelDefaults?: boolean;
  readonly makeIPTablesUtilChains?: boolean;
  readonly iptablesMasqueradeBit?: number;
  readonly iptablesDropBit?: number;
  readonly featureGates?: Readonly<Record<string, boolean>>;
  readonly failSwapOn?: boolean;
  readonly memorySwap?: MemorySwapConfiguration;
  readonly containerLogMaxSize?: string;
  readonly containerLogMaxFiles?: number;
  readonly containerLogMaxWorkers?: number;
  readonly containerLogMonitorInterval?: number;
  readonly configMapAndSecretChangeDetectionStrategy?: string;
  readonly systemReserved?: Readonly<Record<string, string>>;
  readonly kubeReserved?: Readonly<Record<string, string>>;
  readonly reservedSystemCPUs?: string;
  readonly showHiddenMetricsForVersion?: string;
  readonly systemReservedCgroup?: string;
  readonly kubeReservedCgroup?: string;
  readonly enforceNodeAllocatable?: readonly string[];
  readonly allowedUnsafeSysctls?: readonly string[];
  readonly volumePluginDir?: string;
  readonly providerID?: string;
  readonly kernelMemcgNotification?: boolean;
  readonly logging?: LoggingConfiguration;
  readonly enableSystemLogHandler?: boolean;
  readonly enableSystemLogQuery?: boolean;
  readonly shutdownGracePeriod?: number;
  readonly shutdownGracePeriodCriticalPods?: number;
  readonly shutdownGracePeriodByPodPriority?: readonly ShutdownGracePeriodByPodPriority[];
  readonly crashLoopBackOff?: CrashLoopBackOffConfig;
  readonly reservedMemory?: readonly MemoryReservation[];
  readonly enableProfilingHandler?: boolean;
  readonly enableDebugFlagsHandler?: boolean;
  readonly seccompDefault?: boolean;
  readonly memoryThrottlingFactor?: number;
  readonly memoryReservationPolicy?: string;
  readonly registerWithTaints?: readonly Taint[];
  readonly registerNode?: boolean;
  readonly tracing?: TracingConfiguration;
  readonly localStorageCapacityIsolation?: boolean;
  readonly containerRuntimeEndpoint?: string;
  readonly imageServiceEndpoint?: string;
  readonly failCgroupV1?: boolean;
  readonly userNamespaces?: UserNamespaces;
}

/** Type `KubeletAuthentication` of the API. */
export interface KubeletAuthentication {
  readonly x509?: KubeletX509Authentication;
  readonly webhook?: KubeletWebhookAuthentication;
  readonly anonymous?: KubeletAnonymousAuthentication;
}

/** Type `KubeletAuthorization` of the API. */
export interface KubeletAuthorization {
  readonly mode?: string;
  readonly webhook?: KubeletWebhookAuthorization;
}

/** Type `MemorySwapConfiguration` of the API. */
export interface MemorySwapConfiguration {
  readonly swapBehavior?: string;
}

/** Type `LoggingConfiguration` of the API. */
export interface LoggingConfiguration {
  readonly format?: string;
  /** A Go duration in text, or a number of nanoseconds: both are forms of the API, and written as they were read. */
  readonly flushFrequency?: string | number;
  readonly verbosity?: number;
  readonly vmodule?: readonly VModuleItem[];
  readonly options?: FormatOptions;
}

/** Type `ShutdownGracePeriodByPodPriority` of the API. */
export interface ShutdownGracePeriodByPodPriority {
  readonly priority?: number;
  readonly shutdownGracePeriodSeconds?: number;
}

/** Type `CrashLoopBackOffConfig` of the API. */
export interface CrashLoopBackOffConfig {
  readonly maxContainerRestartPeriod?: number;
}

/** Type `MemoryReservation` of the API. */
export interface MemoryReservation {
  readonly numaNode?: number;
  readonly limits?: Readonly<Record<string, string>>;
}

/** Type `Taint` of the API. */
export interface Taint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly timeAdded?: string;
}

/** Type `TracingConfiguration` of the API. */
export interface TracingConfiguration {
  readonly endpoint?: string;
  readonly samplingRatePerMillion?: number;
}

/** Type `UserNamespaces` of the API. */
export interface UserNamespaces {
  readonly idsPerPod?: number;
}

/** Type `KubeletX509Authentication` of the API. */
export interface KubeletX509Authentication {
  readonly clientCAFile?: string;
}

/** Type `KubeletWebhookAuthentication` of the API. */
export interface KubeletWebhookAuthentication {
  readonly enabled?: boolean;
  readonly cacheTTL?: number;
}

/** Type `KubeletAnonymousAuthentication` of the API. */
export interface KubeletAnonymousAuthentication {
  readonly enabled?: boolean;
}

/** Type `KubeletWebhookAuthorization` of the API. */
export interface KubeletWebhookAuthorization {
  readonly cacheAuthorizedTTL?: number;
  readonly cacheUnauthorizedTTL?: number;
}

/** Type `VModuleItem` of the API. */
export interface VModuleItem {
  readonly filePattern?: string;
  readonly verbosity?: number;
}

/** Type `FormatOptions` of the API. */
export interface FormatOptions {
  readonly text?: OutputRoutingOptions;
  readonly json?: OutputRoutingOptions;
}

/** Type `OutputRoutingOptions` of the API. */
export interface OutputRoutingOptions {
  readonly splitStream?: boolean;
  readonly infoBufferSize?: string;
}

/** Effective feature gates. */
export interface FeatureGates {
  /** Reports whether a gate is enabled. @throws RangeError for a gate that does not exist */
  isEnabled(name: string): boolean;
}
