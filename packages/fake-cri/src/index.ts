export {
  type AdvanceableClock,
  type ControlledRuntime,
  type ControlService,
  createControlService,
} from './control/control-service.ts';
export { FakeControl as FakeControlDescriptor } from '../gen/rxlet/fake/v1/control_pb.js';
export {
  Health as HealthDescriptor,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '../gen/grpc/health/v1/health_pb.js';
export type { EventFaults } from './faults/event-faults.ts';
export type { FailpointPlace, SetFailpoint } from './faults/failpoints.ts';
export type { RecordedCall } from './call-log.ts';
export { ServerReflection as ServerReflectionDescriptor } from '../gen/grpc/reflection/v1/reflection_pb.js';
export type { ServerReflectionRequest, ServerReflectionResponse } from '../gen/grpc/reflection/v1/reflection_pb.js';
export {
  createFakeRuntime,
  type FakeRuntime,
  type FakeRuntimePorts,
  type FakeRuntimeSnapshot,
} from './create-fake-runtime.ts';
export { FileError, type FileErrorCode, type FileKind, type FileSystem } from './fs/file-system.ts';
export { filesOfTree, type FileTree } from './fs/files-of-tree.ts';
export { createHostFiles, type HostFiles, type MountedHostFiles } from './fs/host-files.ts';
export { createNodeHostFiles } from './fs/node-host-files.ts';
export { createShadowHostFiles, type ShadowHostFiles } from './fs/shadow-host-files.ts';
export type { FakeCredential, FakeImage, FakePullError } from './images/fake-image.ts';
export { type ImageCatalogue, ImageCatalogueError, parseImageCatalogue } from './images/image-catalogue.ts';
export type { ImageRegistry } from './images/image-registry.ts';
export type { PullErrorKind } from './images/pull-errors.ts';
export { createFileLogs } from './logs/file-logs.ts';
export { createMemoryLogs, discardLogs, type LogFile, type LogSink, type MemoryLogs } from './logs/log-sink.ts';
export {
  type PodNetwork,
  PodNetworkError,
  type PodNetworkErrorCode,
  type PodNetworkMode,
  type ServedPort,
} from './network/pod-network.ts';
export {
  acceptOnly,
  type GrpcHealthService,
  type HealthStatus,
  type HttpRequest,
  type HttpResponse,
  type HttpService,
  type PortService,
  type TcpService,
} from './network/port-service.ts';
export type { FakeRuntimeOptions } from './options.ts';
export type { RpcName } from './rpc/port.ts';
export type { OpenStream, StreamingOptions, StreamKind, TerminalSize } from '@rxlet/streaming';
export { BehaviourScriptError, parseBehaviourScript } from './scripts/parse-behaviour-script.ts';
export type {
  Behaviour,
  BehaviourScript,
  Phase,
  ScriptedExec,
  ScriptedExecResult,
  ScriptedLog,
  ScriptedPort,
  ScriptedResponse,
  ScriptedUsage,
} from './scripts/script.ts';
export { SCRIPT_ANNOTATION_PREFIX, type ScriptTarget } from './scripts/script-store.ts';
export type { ContainerUsage, UsageModel, UsagePhase } from './stats/usage-model.ts';
