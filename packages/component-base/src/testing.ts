export { scriptedHttp, type ScriptedHttp } from './http/scripted-http.ts';
export { type LogLine, recordingLogger, type RecordingLogger } from './recording-logger.ts';
export { recordingMetrics, type RecordingMetrics } from './recording-metrics.ts';
export { spawnWithoutDescriptors } from './spawn-without-descriptors.ts';
export { useAllDescriptors } from './use-all-descriptors.ts';
export { createVirtualClock, type VirtualClock, type VirtualClockOptions } from './virtual-clock.ts';
export { createTestStream, type TestStream } from './streams/test-stream.ts';
