export { buildContainerConfig, type ContainerConfigInput } from './config/build-container-config.ts';
export { buildSandboxConfig, type SandboxConfigInput } from './config/build-sandbox-config.ts';
export { ConfigError, type ConfigErrorReason } from './config/config-error.ts';
export { type DnsWarning, podDns, type PodDns } from './config/dns-config.ts';
export { kernelHostname, podHostname, type PodHostname } from './config/hostname.ts';
export { type ImageUser, imageUserOf } from './config/image-user.ts';
export { parseResolvConf, type ResolvConf } from './config/resolv-conf.ts';
export {
  buildWindowsContainerConfig,
  buildWindowsSandboxConfig,
  type WindowsContainerConfigInput,
} from './config/windows/build-windows-config.ts';
export { type WindowsDnsSettings, windowsResolvConf } from './config/windows/windows-dns.ts';
export { windowsHostsMount, windowsMount } from './config/windows/windows-mounts.ts';
export {
  WINDOWS_HOSTS_FILE,
  windowsContainerPath,
  windowsHostPath,
  withDrive,
} from './config/windows/windows-paths.ts';
export {
  cpuMillisOfShare,
  windowsAffinity,
  windowsCpus,
  windowsResources,
} from './config/windows/windows-resources.ts';
export {
  isHostProcessPod,
  verifyWindowsUser,
  windowsContainerSecurity,
  windowsOptions,
  windowsSandboxConfig,
} from './config/windows/windows-security.ts';
