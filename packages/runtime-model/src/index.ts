export {
  type ContainerStatusContext,
  convertContainerResources,
  convertContainerState,
  convertContainerStatus,
} from './convert-container.ts';
export { convertSandboxState, convertSandboxStatus } from './convert-sandbox.ts';
export { groupRuntimePods } from './group-runtime-pods.ts';
export {
  readRuntimePods,
  type ReadRuntimePodsOptions,
  readRuntimePodStatus,
  type RuntimeReadOptions,
} from './read-runtime.ts';
export { RuntimeResponseError } from './runtime-response-error.ts';
