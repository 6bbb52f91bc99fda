export { createFakeStatusSink, type FakeStatusSink, type FakeStatusSinkOptions } from './fake-status-sink.ts';
