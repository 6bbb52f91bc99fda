export {
  type ContainerdHint,
  containerdHints,
  ContainerdTimeout,
  type ContainerdHints,
  type ContainerdHintStream,
  type ContainerdHintsOptions,
  EventsUnsupported,
} from './containerd/containerd-hints.ts';
export { type ContainerdPullProgressOptions, containerdPullProgress } from './containerd/containerd-pull-progress.ts';
export { ContentStoreUnsupported } from './containerd/content-store.ts';
