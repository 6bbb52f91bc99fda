import { Code, ConnectError } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { errorMessage } from '@rxlet/component-base';
import { grpcHandlerOptions, type Http2Handler } from '@rxlet/component-base/grpc-server';
import { Registration } from '../../gen/deviceplugin/v1beta1/api_pb.js';

/** A plugin that wants to register. */
export interface RegistrationRequest {
  readonly version: string;
  /** Name of the plugin's socket. */
  readonly endpoint: string;
  readonly resourceName: string;
}

/** Registers a plugin. A rejection is its answer. */
export type Register = (request: RegistrationRequest, signal: AbortSignal) => Promise<void>;

const MAX_MESSAGE_BYTES = 64 * 1024;

/** Creates the handler of the Registration service, in gRPC. */
export function createRegistrationHandler(register: Register): Http2Handler {
  return connectNodeAdapter({
    ...grpcHandlerOptions(MAX_MESSAGE_BYTES),
    routes(router) {
      router.service(Registration, {
        async register(request, { signal }) {
          try {
            await register(request, signal);
          } catch (error) {
            // A Go server reports an error without a code as Unknown.
            throw new ConnectError(errorMessage(error), Code.Unknown, undefined, undefined, error);
          }
          return {};
        },
      });
    },
  });
}
