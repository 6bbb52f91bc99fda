import type { ConfigurationOfModule } from '@rxlet/agent-api/configuration';

/** Fields and flags that take effect by the core of an agent: the ports and options of `createAgent`. */
export const coreConfiguration: ConfigurationOfModule<never> = {
  name: 'core',
  gates: ['MemoryQoS'],
  fields: [
    'clusterDNS',
    'clusterDomain',
    'cpuCFSQuota',
    'cpuCFSQuotaPeriod',
    'crashLoopBackOff.maxContainerRestartPeriod',
    'kubeReserved',
    'maxPods',
    'memoryReservationPolicy',
    'memorySwap.swapBehavior',
    'memoryThrottlingFactor',
    'podLogsDir',
    'resolvConf',
    'runtimeRequestTimeout',
    'seccompDefault',
    'singleProcessOOMKill',
    'syncFrequency',
    'systemReserved',
    'userNamespaces.idsPerPod',
  ],
  flags: ['hostname-override', 'node-ip', 'root-dir', 'seccomp-default'],
};

/** Fields and flags that take effect by the program: its configuration, its process, its log and its connections to the runtime and the API server. */
export const programConfiguration: ConfigurationOfModule<never> = {
  name: 'program',
  gates: [
    'AllAlpha',
    'AllBeta',
    'KubeletCrashLoopBackOffMax',
    'KubeletEnsureSecretPulledImages',
    'LoggingAlphaOptions',
    'NodeLogQuery',
    'RotateKubeletServerCertificate',
  ],
  fields: [
    'containerRuntimeEndpoint',
    'eventBurst',
    'eventRecordQPS',
    'failCgroupV1',
    'imageServiceEndpoint',
    'kubeAPIBurst',
    'kubeAPIQPS',
    'logging.flushFrequency',
    'logging.format',
    'logging.options.json.infoBufferSize',
    'logging.options.json.splitStream',
    'logging.options.text.infoBufferSize',
    'logging.options.text.splitStream',
    'logging.verbosity',
    'logging.vmodule',
    'nodeLeaseDurationSeconds',
    'nodeStatusUpdateFrequency',
    'oomScoreAdj',
    'rotateCertificates',
  ],
  flags: ['bootstrap-kubeconfig', 'cert-dir', 'config', 'config-dir', 'help', 'kubeconfig', 'version'],
};
