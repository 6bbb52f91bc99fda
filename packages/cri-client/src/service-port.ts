import type { DescService } from '@bufbuild/protobuf';
import type { Clock } from '@rxlet/component-base';
import type { CallRecorder } from './call-metrics.ts';
import { defaultTimeoutMs } from './call-timeouts.ts';
import type { Connection } from './connection.ts';
import type { RpcMethod } from './rpc-method.ts';
import { createServerStream } from './server-stream.ts';
import { createUnaryCall } from './unary-call.ts';

/** What the methods of a port have in common. */
export interface ServicePortInit {
  readonly connection: Connection;
  readonly clock: Clock;
  /** `Infinity`: none. */
  readonly timeoutMs: number;
  readonly maxMessageBytes: number;
  readonly recorderFor: ((method: string) => CallRecorder) | undefined;
}

/**
 * Makes a port from the descriptor of its service: a method for each RPC. The descriptor is what the port's type is derived from as well, which is what
 * makes the assertion to that type right at the place of the call.
 */
export function createServicePort(service: DescService, init: ServicePortInit): Record<string, unknown> {
  const { connection, clock, maxMessageBytes } = init;
  const port: Record<string, unknown> = {};
  for (const descriptor of service.methods) {
    const method: RpcMethod = {
      descriptor,
      path: `/${service.typeName}/${descriptor.name}`,
      subject: { endpoint: connection.endpoint, service: service.typeName, method: descriptor.name },
      connection,
      clock,
      maxMessageBytes,
      defaultTimeoutMs: (request) =>
        descriptor.methodKind === 'unary' ? defaultTimeoutMs(descriptor.name, request, init.timeoutMs) : Infinity,
      record: init.recorderFor?.(descriptor.name),
    };
    port[descriptor.localName] =
      descriptor.methodKind === 'unary' ? createUnaryCall(method) : createServerStream(method);
  }
  return port;
}
