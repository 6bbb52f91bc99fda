/** CRI v1alpha2, the last version before v1: for runtimes that speak nothing newer. */
export * from '../gen/runtime/v1alpha2/api_pb.js';
export { fromV1alpha2, toV1alpha2, v1alpha2Method, v1alpha2Schema } from './v1alpha2-conversion.ts';
