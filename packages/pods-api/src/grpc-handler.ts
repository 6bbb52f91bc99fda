import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { RateLimiter } from '@rxlet/component-base';
import { grpcHandlerOptions, type Http2Handler } from '@rxlet/component-base/grpc-server';
import { EventType, Pods } from '../gen/pods/v1alpha1/pods_pb.js';
import type { PodsApi } from './create-pods-api.ts';
import { PodsApiError } from './pods-api-error.ts';

const MAX_REQUEST_BYTES = 1024 * 1024;

/** Creates the handler that answers in gRPC. As in the kubelet, the limit does not count the starts of watches. */
export function createGrpcHandler(api: PodsApi, limiter: RateLimiter): Http2Handler {
  const limited: Interceptor = (next) => async (request) => {
    if (!request.stream && !limiter.tryAcquire()) {
      throw new ConnectError('rejected by rate limit', Code.ResourceExhausted);
    }
    return next(request);
  };
  return connectNodeAdapter({
    ...grpcHandlerOptions(MAX_REQUEST_BYTES),
    interceptors: [limited],
    routes(router) {
      router.service(Pods, {
        listPods: () => ({ pods: answered(() => api.list()) }),
        getPod: ({ podUID }) => ({ pod: answered(() => api.get(podUID)) }),
        async *watchPods(_request, { signal }) {
          try {
            for await (const { type, pod } of api.watch(signal)) yield { type: EventType[type], pod };
          } catch (error) {
            throw toConnectError(error);
          }
        },
      });
    },
  });
}

function answered<T>(answer: () => T): T {
  try {
    return answer();
  } catch (error) {
    throw toConnectError(error);
  }
}

function toConnectError(error: unknown): unknown {
  return error instanceof PodsApiError
    ? new ConnectError(error.message, Code[error.reason], undefined, undefined, error)
    : error;
}
