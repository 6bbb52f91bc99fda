export { dynamicResources, type DynamicResourcesOptions } from './dynamic-resources-module.ts';
export {
  ClaimStateError,
  createDraManager,
  type DraManager,
  type DraManagerOptions,
  type DraManagerPorts,
} from './dra-manager.ts';
export { formatClaimCheckpoint, parseClaimCheckpoint } from './checkpoint/claim-checkpoint.ts';
export type { ClaimDevice, ClaimRecord } from './claims/claim-record.ts';
export type { Health, ReportedHealth } from './health/device-health.ts';
export {
  type ConnectDraPlugin,
  createDraPlugin,
  type DraPlugin,
  type PluginClaim,
  type PreparedClaim,
} from './plugins/dra-plugin.ts';
export type { PluginService } from './plugins/plugin-service.ts';
