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
export { ServerReflection as ServerReflectionDescriptor } from '../gen/grpc/reflection/v1/reflection_pb.js';
export type { ServerReflectionRequest, ServerReflectionResponse } from '../gen/grpc/reflection/v1/reflection_pb.js';
