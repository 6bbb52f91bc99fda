export {
  type ContainerdHint,
  containerdHints,
  ContainerdTimeout,
  type ContainerdHints,
  type ContainerdHintStream,
  type ContainerdHintsOptions,
  EventsUnsupported,
} from './containerd/containerd-hints.ts';
