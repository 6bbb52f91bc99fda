export {
  type ContainerdHint,
  containerdHints,
  type ContainerdHints,
  type ContainerdHintsOptions,
  EventsUnsupported,
} from './containerd-hints.ts';
