import type { Logger } from '@rxlet/component-base';
import { serveHttp2OnUnixSocket } from '@rxlet/component-base/http2-socket';
import { NODE_API_SOCKET_MODE } from '@rxlet/component-base/node-api';
import type { Register } from './registration-handler.ts';

/** Serves the registration of plugins at the path of a socket, until disposed of. */
export type ServeRegistration = (register: Register, socketPath: string, logger: Logger) => Promise<AsyncDisposable>;

/** Name of the socket of the registration in the directory of device plugins. */
export const REGISTRATION_SOCKET = 'kubelet.sock';

/** Serves the Registration service in gRPC on a unix socket. */
export const serveRegistration: ServeRegistration = async (register, socketPath, logger) => {
  // Loaded with the first request: most nodes have no device plugin.
  const load = async () => (await import('./registration-handler.ts')).createRegistrationHandler(register);
  return serveHttp2OnUnixSocket({ socketPath, mode: NODE_API_SOCKET_MODE, load, logger });
};
