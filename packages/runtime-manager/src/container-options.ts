export {
  containerEnvironment,
  type EnvFileContent,
  type EnvFiles,
  type EnvironmentInput,
} from './config/environment.ts';
export { nodeHostIps } from './config/node-addresses.ts';
export { etcHostsContent } from './files/etc-hosts.ts';
export { type FileBelow, readBelow } from './files/read-below.ts';
export { blockDevices } from './mounts/block-devices.ts';
export {
  createEtcHosts,
  type EtcHosts,
  hostsMount,
  type OwnMountsPorts,
  terminationMessageMount,
} from './sync/container-mounts.ts';
export { volumeMounts, type VolumeMountsInput, type VolumeMountsPorts } from './mounts/volume-mounts.ts';
