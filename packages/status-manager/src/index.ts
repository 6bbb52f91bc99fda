export { generatePodStatus, type GeneratePodStatusInput } from './generate-pod-status.ts';
export { noProbeResults, type ProbeResults } from './probe-results.ts';
export {
  type ContainerStartResult,
  createStartErrors,
  type StartError,
  type StartErrors,
  type StartErrorsOptions,
} from './start-errors.ts';
export {
  createStatusManager,
  type StatusManager,
  type StatusManagerOptions,
  type StatusManagerPorts,
} from './status-manager.ts';
export type { PodStatusUpdate, StatusSink } from './status-sink.ts';
