import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { errorMessage, type RateLimiter } from '@rxlet/component-base';
import { grpcHandlerOptions, type Http2Handler } from '@rxlet/component-base/grpc-server';
import { PodResourcesLister } from '../gen/podresources/v1/podresources_pb.js';
import { PodResourcesLister as PodDevicesLister } from '../gen/podresources/v1alpha1/podresources_pb.js';
import type { PodResourcesApi } from './pod-resources-api.ts';

const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Creates the handler that answers in gRPC. */
export function createGrpcHandler(api: PodResourcesApi, limiter: RateLimiter): Http2Handler {
  const limited: Interceptor = (next) => async (request) => {
    if (!limiter.tryAcquire()) throw new ConnectError('rejected by rate limit', Code.ResourceExhausted);
    return next(request);
  };
  return connectNodeAdapter({
    ...grpcHandlerOptions(MAX_MESSAGE_BYTES),
    interceptors: [limited],
    routes(router) {
      router.service(PodResourcesLister, {
        list: () => ({ podResources: api.list() }),
        getAllocatableResources: () => api.allocatable(),
        get: ({ podNamespace, podName }) => ({ podResources: answered(() => api.get(podNamespace, podName)) }),
      });
      router.service(PodDevicesLister, { list: () => ({ podResources: api.listDevices() }) });
    },
  });
}

/** A Go server reports an error without a code as Unknown. */
function answered<T>(answer: () => T): T {
  try {
    return answer();
  } catch (error) {
    throw new ConnectError(errorMessage(error), Code.Unknown, undefined, undefined, error);
  }
}
