export {
  CheckpointError,
  type CheckpointErrorReason,
  checkpointList,
  checkpointObject,
  parseCheckpointJson,
} from './checkpoint.ts';
export {
  desiredResources,
  isResized,
  reportedResources,
  sameResources,
  withAllocatedResources,
} from './resize/allocated-resources.ts';
export { resizeMessage, type ResizeOutcome } from './resize/resize-message.ts';
export {
  formatResourcesCheckpoint,
  parseResourcesCheckpoint,
  type PodResourcesRecord,
} from './resources-checkpoint.ts';
