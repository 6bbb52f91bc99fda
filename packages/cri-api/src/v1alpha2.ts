/** CRI v1alpha2, the last version before v1: for runtimes without v1. */
export * from '../gen/runtime/v1alpha2/api_pb.js';
export { fromV1alpha2, toV1alpha2, v1alpha2Method, v1alpha2Schema } from './v1alpha2-conversion.ts';
