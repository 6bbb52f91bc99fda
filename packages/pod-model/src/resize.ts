export { desiredResources, isResized, sameResources, withAllocatedResources } from './resize/allocated-resources.ts';
export { resizeMessage, type ResizeOutcome } from './resize/resize-message.ts';
export {
  CheckpointError,
  type CheckpointErrorReason,
  formatResourcesCheckpoint,
  parseResourcesCheckpoint,
  type PodResourcesRecord,
} from './resources-checkpoint.ts';
