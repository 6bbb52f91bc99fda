export {
  activeContainerStatuses,
  activeSandbox,
  hasRunningContainer,
  newestContainerStatus,
} from './runtime-lookup.ts';
export {
  type ContainerId,
  emptyRuntimePodStatus,
  type RuntimeContainer,
  type RuntimeContainerResources,
  type RuntimeContainerState,
  type RuntimeContainerStatus,
  type RuntimeContainerUser,
  type RuntimeMount,
  type RuntimePod,
  type RuntimePodStatus,
  type RuntimeSandbox,
  type RuntimeSandboxState,
  type RuntimeSandboxStatus,
} from './runtime-status.ts';
