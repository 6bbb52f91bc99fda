import type { DescService } from '@bufbuild/protobuf';
import { defaultTimeoutMs } from './call-timeouts.ts';
import type { Clock } from '@rxlet/component-base';
import type { Connection } from './connection.ts';
import type { RpcMethod } from './rpc-method.ts';
import { createServerStream } from './server-stream.ts';
import type { RpcSupport } from './rpc-support.ts';
import { createUnaryCall } from './unary-call.ts';

/** Properties that all methods of a port share. */
export interface ServicePortInit {
  readonly connection: Connection;
  /** RPCs that the runtime supports for this service. */
  readonly rpcSupport: RpcSupport;
  readonly clock: Clock;
  /** `Infinity`: none. */
  readonly timeoutMs: number;
  readonly maxMessageBytes: number;
}

/**
 * Creates a port from the descriptor of its service, with a method for each RPC. The port's type is derived from the same descriptor, so the caller's assertion to
 * that type is right.
 */
export function createServicePort(service: DescService, init: ServicePortInit): Record<string, unknown> {
  const { connection, rpcSupport: rpcSupport, clock, maxMessageBytes } = init;
  const port: Record<string, unknown> = {};
  for (const descriptor of service.methods) {
    const method: RpcMethod = {
      descriptor,
      subject: { endpoint: connection.endpoint, service: service.typeName, method: descriptor.name },
      connection,
      rpcSupport: rpcSupport,
      clock,
      maxMessageBytes,
      defaultTimeoutMs: (request) =>
        descriptor.methodKind === 'unary' ? defaultTimeoutMs(descriptor.name, request, init.timeoutMs) : Infinity,
    };
    port[descriptor.localName] =
      descriptor.methodKind === 'unary' ? createUnaryCall(method) : createServerStream(method);
  }
  return port;
}
