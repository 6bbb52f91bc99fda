export type { EventFaults } from './faults/event-faults.ts';
export type { FailpointPlace, SetFailpoint } from './faults/failpoints.ts';
export type { RecordedCall } from './call-log.ts';
export {
  createFakeRuntime,
  type FakeRuntime,
  type FakeRuntimePorts,
  type FakeRuntimeSnapshot,
  type FakeRuntimeUsage,
} from './create-fake-runtime.ts';
export type { FakeCredential, FakeImage, FakePullError } from './images/fake-image.ts';
export { type ImageCatalogue, ImageCatalogueError, parseImageCatalogue } from './images/image-catalogue.ts';
export type { ImageRegistry } from './images/image-registry.ts';
export type { PullErrorKind } from './images/pull-errors.ts';
export { createFileLogs } from './logs/file-logs.ts';
export { createMemoryLogs, discardLogs, type LogFile, type LogSink, type MemoryLogs } from './logs/log-sink.ts';
export type { FakeRuntimeOptions } from './options.ts';
export type { RpcName } from './rpc/port.ts';
export type { OpenStream, StreamingOptions, StreamKind, TerminalSize } from '@rxlet/streaming';
export type { ContainerUsage, UsageModel, UsagePhase } from './stats/usage-model.ts';
