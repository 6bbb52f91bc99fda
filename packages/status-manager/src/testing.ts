export { createMemoryCheckpointFile, type MemoryCheckpointFile } from './checkpoint/memory-checkpoint-file.ts';
export { createFakeStatusSink, type FakeStatusSink, type FakeStatusSinkOptions } from './fake-status-sink.ts';
