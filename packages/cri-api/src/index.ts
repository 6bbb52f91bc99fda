export * from '../gen/runtime/v1/api_pb.js';
// The ports take the plain names; the descriptors of the services, needed by transports only, say what they are.
export {
  ImageService as ImageServiceDescriptor,
  RuntimeService as RuntimeServiceDescriptor,
} from '../gen/runtime/v1/api_pb.js';
export { callErrorDetails, callErrorText } from './call-error-text.ts';
export type { CallOptions, ImageService, PortMethod, RuntimeService, ServerStreamingCall, UnaryCall } from './ports.ts';
export { ServiceError } from './service-error.ts';
export { callErrorCode, isNotFound, isUnimplemented, StatusCode, statusCodeName } from './status-code.ts';
