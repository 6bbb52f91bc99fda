import {
  boolean,
  duration,
  type Fields,
  float64,
  int32,
  int64,
  list,
  logDuration,
  map,
  pointer,
  quantity,
  struct,
  text,
  time,
  uint32,
} from './field-types.ts';
import type * as api from '@rxlet/component-base/kubelet-configuration';

const outputRoutingOptionsFields: Fields<api.OutputRoutingOptions> = {
  splitStream: boolean,
  infoBufferSize: quantity,
};

const formatOptionsFields: Fields<api.FormatOptions> = {
  text: struct(outputRoutingOptionsFields),
  json: struct(outputRoutingOptionsFields),
};

const vModuleItemFields: Fields<api.VModuleItem> = {
  filePattern: text,
  verbosity: uint32,
};

const kubeletWebhookAuthorizationFields: Fields<api.KubeletWebhookAuthorization> = {
  cacheAuthorizedTTL: duration,
  cacheUnauthorizedTTL: duration,
};

const kubeletAnonymousAuthenticationFields: Fields<api.KubeletAnonymousAuthentication> = {
  enabled: pointer(boolean),
};

const kubeletWebhookAuthenticationFields: Fields<api.KubeletWebhookAuthentication> = {
  enabled: pointer(boolean),
  cacheTTL: duration,
};

const kubeletX509AuthenticationFields: Fields<api.KubeletX509Authentication> = {
  clientCAFile: text,
};

const userNamespacesFields: Fields<api.UserNamespaces> = {
  idsPerPod: pointer(int64),
};

const tracingConfigurationFields: Fields<api.TracingConfiguration> = {
  endpoint: pointer(text),
  samplingRatePerMillion: pointer(int32),
};

const taintFields: Fields<api.Taint> = {
  key: text,
  value: text,
  effect: text,
  timeAdded: pointer(time),
};

const memoryReservationFields: Fields<api.MemoryReservation> = {
  numaNode: int32,
  limits: map(quantity),
};

const crashLoopBackOffConfigFields: Fields<api.CrashLoopBackOffConfig> = {
  maxContainerRestartPeriod: pointer(duration),
};

const shutdownGracePeriodByPodPriorityFields: Fields<api.ShutdownGracePeriodByPodPriority> = {
  priority: int32,
  shutdownGracePeriodSeconds: int64,
};

const loggingConfigurationFields: Fields<api.LoggingConfiguration> = {
  format: text,
  flushFrequency: logDuration,
  verbosity: uint32,
  vmodule: list(struct(vModuleItemFields)),
  options: struct(formatOptionsFields),
};

const memorySwapConfigurationFields: Fields<api.MemorySwapConfiguration> = {
  swapBehavior: text,
};

const kubeletAuthorizationFields: Fields<api.KubeletAuthorization> = {
  mode: text,
  webhook: struct(kubeletWebhookAuthorizationFields),
};

const kubeletAuthenticationFields: Fields<api.KubeletAuthentication> = {
  x509: struct(kubeletX509AuthenticationFields),
  webhook: struct(kubeletWebhookAuthenticationFields),
  anonymous: struct(kubeletAnonymousAuthenticationFields),
};

/** Types of the fields of a KubeletConfiguration. */
export const kubeletConfigurationFields: Fields<api.KubeletConfiguration> = {
  enableServer: pointer(boolean),
  staticPodPath: text,
  podLogsDir: text,
  syncFrequency: duration,
  fileCheckFrequency: duration,
  httpCheckFrequency: duration,
  staticPodURL: text,
  staticPodURLHeader: map(list(text)),
  address: text,
  port: int32,
  readOnlyPort: int32,
  tlsCertFile: text,
  tlsPrivateKeyFile: text,
  tlsCipherSuites: list(text),
  tlsCurvePreferences: list(int32),
  tlsMinVersion: text,
  rotateCertificates: boolean,
  serverTLSBootstrap: boolean,
  authentication: struct(kubeletAuthenticationFields),
  authorization: struct(kubeletAuthorizationFields),
  registryPullQPS: pointer(int32),
  registryBurst: int32,
  imagePullCredentialsVerificationPolicy: text,
  preloadedImagesVerificationAllowlist: list(text),
  eventRecordQPS: pointer(int32),
  eventBurst: int32,
  enableDebuggingHandlers: pointer(boolean),
  enableContentionProfiling: boolean,
  healthzPort: pointer(int32),
  healthzBindAddress: text,
  oomScoreAdj: pointer(int32),
  clusterDomain: text,
  clusterDNS: list(text),
  streamingConnectionIdleTimeout: duration,
  nodeStatusUpdateFrequency: duration,
  nodeStatusReportFrequency: duration,
  nodeLeaseDurationSeconds: int32,
  imageMinimumGCAge: duration,
  imageMaximumGCAge: duration,
  imageGCHighThresholdPercent: pointer(int32),
  imageGCLowThresholdPercent: pointer(int32),
  volumeStatsAggPeriod: duration,
  kubeletCgroups: text,
  systemCgroups: text,
  cgroupRoot: text,
  cgroupsPerQOS: pointer(boolean),
  cgroupDriver: text,
  cpuManagerPolicy: text,
  singleProcessOOMKill: pointer(boolean),
  cpuManagerPolicyOptions: map(text),
  cpuManagerReconcilePeriod: duration,
  memoryManagerPolicy: text,
  topologyManagerPolicy: text,
  topologyManagerScope: text,
  topologyManagerPolicyOptions: map(text),
  qosReserved: map(text),
  runtimeRequestTimeout: duration,
  hairpinMode: text,
  maxPods: int32,
  podCIDR: text,
  podPidsLimit: pointer(int64),
  resolvConf: pointer(text),
  runOnce: boolean,
  cpuCFSQuota: pointer(boolean),
  cpuCFSQuotaPeriod: pointer(duration),
  nodeStatusMaxImages: pointer(int32),
  maxOpenFiles: int64,
  contentType: text,
  kubeAPIQPS: pointer(int32),
  kubeAPIBurst: int32,
  serializeImagePulls: pointer(boolean),
  maxParallelImagePulls: pointer(int32),
  evictionHard: map(text),
  evictionSoft: map(text),
  evictionSoftGracePeriod: map(text),
  evictionPressureTransitionPeriod: duration,
  evictionMaxPodGracePeriod: int32,
  evictionMinimumReclaim: map(text),
  mergeDefaultEvictionSettings: pointer(boolean),
  podsPerCore: int32,
  enableControllerAttachDetach: pointer(boolean),
  protectKernelDefaults: boolean,
  makeIPTablesUtilChains: pointer(boolean),
  iptablesMasqueradeBit: pointer(int32),
  iptablesDropBit: pointer(int32),
  featureGates: map(boolean),
  failSwapOn: pointer(boolean),
  memorySwap: struct(memorySwapConfigurationFields),
  containerLogMaxSize: text,
  containerLogMaxFiles: pointer(int32),
  containerLogMaxWorkers: pointer(int32),
  containerLogMonitorInterval: pointer(duration),
  configMapAndSecretChangeDetectionStrategy: text,
  systemReserved: map(text),
  kubeReserved: map(text),
  reservedSystemCPUs: text,
  showHiddenMetricsForVersion: text,
  systemReservedCgroup: text,
  kubeReservedCgroup: text,
  enforceNodeAllocatable: list(text),
  allowedUnsafeSysctls: list(text),
  volumePluginDir: text,
  providerID: text,
  kernelMemcgNotification: boolean,
  logging: struct(loggingConfigurationFields),
  enableSystemLogHandler: pointer(boolean),
  enableSystemLogQuery: pointer(boolean),
  shutdownGracePeriod: duration,
  shutdownGracePeriodCriticalPods: duration,
  shutdownGracePeriodByPodPriority: list(struct(shutdownGracePeriodByPodPriorityFields)),
  crashLoopBackOff: struct(crashLoopBackOffConfigFields),
  reservedMemory: list(struct(memoryReservationFields)),
  enableProfilingHandler: pointer(boolean),
  enableDebugFlagsHandler: pointer(boolean),
  seccompDefault: pointer(boolean),
  memoryThrottlingFactor: pointer(float64),
  memoryReservationPolicy: text,
  registerWithTaints: list(struct(taintFields)),
  registerNode: pointer(boolean),
  tracing: pointer(struct(tracingConfigurationFields)),
  localStorageCapacityIsolation: pointer(boolean),
  containerRuntimeEndpoint: text,
  imageServiceEndpoint: text,
  failCgroupV1: pointer(boolean),
  userNamespaces: pointer(struct(userNamespacesFields)),
};
