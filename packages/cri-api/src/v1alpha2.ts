/** CRI v1alpha2, the last version before v1: for runtimes that speak nothing newer. */
export * from '../gen/runtime/v1alpha2/api_pb.js';
