export {
  createFakeRuntime,
  type FakeRuntime,
  type FakeRuntimePorts,
  type FakeRuntimeSnapshot,
} from './create-fake-runtime.ts';
export { createFileLogs } from './logs/file-logs.ts';
export { createMemoryLogs, discardLogs, type LogFile, type LogSink, type MemoryLogs } from './logs/log-sink.ts';
export type { FakeImage, FakeRuntimeOptions } from './options.ts';
export type { RpcName } from './rpc/port.ts';
