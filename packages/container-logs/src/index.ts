export { containerLogs, type ContainerLogsOptions } from './container-logs-module.ts';
export { containerLogsEndpoint, type OpenLog } from './endpoint/container-logs-endpoint.ts';
export { createOpenLog, type OpenLogPorts } from './endpoint/open-log.ts';
export type { LogQuery } from './endpoint/log-query.ts';
export { LogReadError, type LogReadErrorReason } from './read/log-read-error.ts';
export type { LogChunk } from './read/log-output.ts';
export type { LogStream } from './read/parse-log-line.ts';
export { readContainerLog, type ReadLogOptions, type ReadLogPorts } from './read/read-container-log.ts';
export {
  type ContainerLogRotator,
  type ContainerLogRotatorOptions,
  type ContainerLogRotatorPorts,
  createContainerLogRotator,
  type RunningContainer,
} from './rotate/container-log-rotator.ts';
export { listRunningContainers } from './rotate/list-running-containers.ts';
export { LogRotationError, type LogRotationErrorReason } from './rotate/log-rotation-error.ts';
export { createTerminationMessages } from './termination-messages.ts';
export { readTerminationMessage, type TerminationMessagePorts } from './termination-message.ts';
