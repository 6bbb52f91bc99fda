export { createFakeStatusSink, type FakeStatusSink, type FakeStatusSinkOptions } from './fake-status-sink.ts';
export { podStatusVectorInput, type PodStatusVector } from './pod-status-vector.ts';
