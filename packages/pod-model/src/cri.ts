export {
  type ContainerStatusContext,
  convertContainerResources,
  convertContainerState,
  convertContainerStatus,
} from './cri/convert-container.ts';
export { convertSandboxState, convertSandboxStatus } from './cri/convert-sandbox.ts';
export { groupRuntimePods } from './cri/group-runtime-pods.ts';
export {
  readRuntimePods,
  type ReadRuntimePodsOptions,
  readRuntimePodStatus,
  type RuntimeReadOptions,
} from './cri/read-runtime.ts';
export { RuntimeResponseError } from './cri/runtime-response-error.ts';
