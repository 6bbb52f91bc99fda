export type { DrainStatus } from './drain/drain-status.ts';
export type { Logind, LogindConnection, LogindObserver } from './logind/logind.ts';
export {
  createNodeShutdown,
  type NodeShutdown,
  type NodeShutdownOptions,
  type NodeShutdownPorts,
  type ShutdownStore,
} from './node-shutdown.ts';
export { nodeShutdown, type NodeShutdownModuleOptions } from './node-shutdown-module.ts';
export { groupIndexOf, pendingGroups, shutdownGraceSeconds } from './plan/plan-shutdown.ts';
export { type ShutdownGracePeriods, type ShutdownGroup, shutdownGroups } from './plan/shutdown-groups.ts';
export { formatShutdownState, parseShutdownState, type ShutdownState } from './shutdown-state.ts';
export { shutdownFailure, shutdownRejection, shutdownStatus } from './shutdown-status.ts';
