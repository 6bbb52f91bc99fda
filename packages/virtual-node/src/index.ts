export { createVirtualNode, type VirtualNodeOptions, type VirtualNodePorts } from './create-virtual-node.ts';
export type {
  DeletePodOptions,
  ExecStreams,
  PodProvider,
  ProviderCallOptions,
  ProviderContainerReference,
  ProviderContainerStats,
  ProviderLogOptions,
  ProviderPodStats,
} from './pod-provider.ts';
export { isProviderError, ProviderError, type ProviderErrorReason } from './provider-error.ts';
export type {
  ExitedContainer,
  PodRejection,
  ProviderContainer,
  ProviderPod,
  ProviderPodChange,
  ProviderPodReference,
  RunningContainer,
  WaitingContainer,
} from './provider-pod.ts';
export { createProviderPodList, type ProviderPodList } from './provider-pod-list.ts';
