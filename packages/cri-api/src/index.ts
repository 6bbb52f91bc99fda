export * from '../gen/runtime/v1/messages.js';
// The ports have the plain names; the descriptors of the services, which only transports need, have names with a suffix.
export {
  ImageService as ImageServiceDescriptor,
  RuntimeService as RuntimeServiceDescriptor,
} from '../gen/runtime/v1/api_pb.js';
export { callErrorDetails, callErrorText } from './call-error-text.ts';
export type {
  CallOptions,
  ImageService,
  PlainMessage,
  PortMethod,
  RuntimeService,
  ServerStreamingCall,
  UnaryCall,
} from './ports.ts';
export { DEFAULT_MAX_MESSAGE_BYTES } from './message-size.ts';
export { ServiceError } from './service-error.ts';
export { callErrorCode, isNotFound, isUnimplemented, StatusCode, statusCodeName } from './status-code.ts';
