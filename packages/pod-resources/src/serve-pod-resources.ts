import { type NodeApiOptions, serveNodeApi } from '@rxlet/component-base/node-api';
import type { PodResourcesApi } from './pod-resources-api.ts';

/**
 * Serves the PodResources API, versions v1 and v1alpha1, in gRPC on a unix socket. A stale socket is replaced. Disposal removes it and closes all connections.
 *
 * @throws UnixSocketError when it cannot listen
 */
export async function servePodResources(api: PodResourcesApi, options: NodeApiOptions): Promise<AsyncDisposable> {
  return serveNodeApi(options, async (limiter) => (await import('./grpc-handler.ts')).createGrpcHandler(api, limiter));
}
