import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  isMessage,
  type Message,
  type MessageInitShape,
} from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import { errorMessage, type Logger } from '@rxlet/component-base';
import { callErrorCode, type CallOptions, StatusCode, VersionResponseSchema } from '@rxlet/cri-api';
import { fromV1alpha2, toV1alpha2, v1alpha2Method } from '@rxlet/cri-api/v1alpha2';

/** Options of the routes. */
export interface RouteOptions {
  readonly logger: Logger;
  /** Ends the streams when the server shuts down. */
  readonly streamsEnd: AbortSignal;
}

type PortCall = (request: unknown, options: CallOptions) => unknown;

/** Routes every RPC of `service` to the method of the same name of `port`, which implements that service's port. */
export function routePort(router: ConnectRouter, service: DescService, port: object, options: RouteOptions): void {
  const methods = port as Record<string, PortCall>;
  const implementation: Record<string, unknown> = {};
  for (const method of service.methods) {
    // Called on the port, which may be an instance of a class.
    const call: PortCall = (request, callOptions) => methods[method.localName]!(request, callOptions);
    implementation[method.localName] =
      method.methodKind === 'unary' ? unary(method, call, options) : streaming(method, call, options);
  }
  router.service(service, implementation as Partial<ServiceImpl<DescService>>);
}

/**
 * Routes every RPC that the v1alpha2 of `service` has to the same port, which speaks v1, with requests and answers converted. It has no streams.
 */
export function routePortAsV1alpha2(
  router: ConnectRouter,
  service: DescService,
  port: object,
  options: RouteOptions,
): void {
  const methods = port as Record<string, PortCall>;
  const implementation: Record<string, unknown> = {};
  let olderService: DescService | undefined;
  for (const method of service.methods) {
    const older = v1alpha2Method(method);
    if (older === undefined) continue;
    olderService = older.parent;
    const call: PortCall = async (request, callOptions) => {
      const answer = await methods[method.localName]!(fromV1alpha2(method.input, request as Message), callOptions);
      return toV1alpha2(
        method.output,
        withOlderVersion(create(method.output, answer as MessageInitShape<DescMessage>)),
      );
    };
    implementation[older.localName] = unary(method, call, options);
  }
  if (olderService !== undefined) router.service(olderService, implementation as Partial<ServiceImpl<DescService>>);
}

/** Sets the version of the CRI in the response to `Version`; returns other responses unchanged. */
function withOlderVersion(response: Message): Message {
  return isMessage(response, VersionResponseSchema)
    ? create(VersionResponseSchema, { ...response, runtimeApiVersion: 'v1alpha2' })
    : response;
}

function unary(method: DescMethod, call: PortCall, options: RouteOptions) {
  return async (request: unknown, context: HandlerContext): Promise<unknown> => {
    try {
      // The signal stands for the deadline, too.
      return await call(request, { signal: context.signal, timeoutMs: 0 });
    } catch (error) {
      throw toConnectError(error, method, options.logger);
    }
  };
}

function streaming(method: DescMethod, call: PortCall, options: RouteOptions) {
  return async function* (request: unknown, context: HandlerContext): AsyncGenerator<unknown> {
    const signal = AbortSignal.any([context.signal, options.streamsEnd]);
    try {
      yield* call(request, { signal, timeoutMs: 0 }) as AsyncIterable<unknown>;
    } catch (error) {
      throw toConnectError(error, method, options.logger);
    }
  };
}

/** An error with a gRPC status code goes to the client with that code and its message; any other is a bug, so it is logged and becomes Internal. */
function toConnectError(error: unknown, method: DescMethod, logger: Logger): ConnectError {
  if (error instanceof ConnectError) return error;
  const code = callErrorCode(error);
  if (code !== undefined && code !== StatusCode.Ok)
    return new ConnectError(errorMessage(error), code, undefined, undefined, error);
  logger.error('a call failed without a status code', { rpc: method.name, error });
  return new ConnectError(errorMessage(error), Code.Internal, undefined, undefined, error);
}
