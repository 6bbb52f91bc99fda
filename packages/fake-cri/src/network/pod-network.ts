import { type Duplex, duplexPair } from 'node:stream';
import { abortable, type Logger } from '@rxlet/component-base';
import { grpcHealthConnections } from './grpc-health-port.ts';
import { httpConnections } from './http-port.ts';
import { listenOnLoopback, type LoopbackListener } from './loopback-listener.ts';
import type { HealthStatus, HttpRequest, HttpResponse, PortService } from './port-service.ts';

/** Reachability of the ports of pods: from this process only, or also on loopback addresses. */
export type PodNetworkMode = 'in-process' | 'loopback';

/** Range of pod addresses when ports really listen. On Linux every address in 127.0.0.0/8 is the machine's own, without set-up or root. */
export const LOOPBACK_POD_CIDR = '127.64.0.0/10';

/** The address of pods on the host's network. */
export const HOST_IP = '127.0.0.1';

/** Reason of a failed connection: no service, closed before it answered, or another protocol. */
export type PodNetworkErrorCode = 'ECONNREFUSED' | 'ECONNRESET' | 'WRONG_PROTOCOL';

/** A connection that failed. */
export class PodNetworkError extends Error {
  override readonly name = 'PodNetworkError';
  readonly code: PodNetworkErrorCode;

  constructor(code: PodNetworkErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A port that is served until it is disposed of: it closes then and its connections break, as when a process dies. */
export interface ServedPort extends Disposable {
  /** Settles when the port listens for connections from outside, or cannot; at once for ports in-process. Never rejects. */
  readonly listening: Promise<void>;
}

/** The ports that pods serve. */
export interface PodNetwork {
  /**
   * Serves a port. When it is taken, or the operating system rejects it, a warning names `pod` and the port; in the first case the service is unreachable, in
   * the second only reachable in-process.
   */
  serve(ip: string, port: number, service: PortService, pod: string): ServedPort;
  /** Opens a connection to a port, in-process in both modes. Rejects with a {@link PodNetworkError} when nothing serves it. */
  dial(ip: string, port: number): Promise<Duplex>;
  /** Returns an HTTP service's response to a GET, or to `request`. The service is called directly, without a socket and only with its own latency. */
  httpGet(
    ip: string,
    port: number,
    path: string,
    request?: Partial<Omit<HttpRequest, 'path'>> & { readonly signal?: AbortSignal },
  ): Promise<HttpResponse>;
  /** Returns the answer of a gRPC health service, called directly; `undefined` when it does not know `service`. */
  grpcHealth(ip: string, port: number, service?: string, signal?: AbortSignal): Promise<HealthStatus | undefined>;
}

/** A {@link PodNetwork}; disposal closes all ports. */
export interface OwnedPodNetwork extends PodNetwork, AsyncDisposable {
  /** Returns the ports that are served at an address, in ascending order. */
  portsOf(ip: string): number[];
}

interface Entry {
  readonly service: PortService;
  /** Aborts when the port closes. */
  readonly closed: AbortSignal;
  accept(connection: Duplex): void;
  close(): Promise<void>;
}

/** Creates a {@link PodNetwork}. */
export function createPodNetwork(logger: Logger, mode: PodNetworkMode): OwnedPodNetwork {
  const entries = new Map<string, Entry>();
  const closing = new Set<Promise<void>>();
  let disposed = false;

  const lookUp = (ip: string, port: number): Entry => {
    const entry = entries.get(addressOf(ip, port));
    if (entry === undefined) throw new PodNetworkError('ECONNREFUSED', `connect ECONNREFUSED ${addressOf(ip, port)}`);
    return entry;
  };
  /** Calls a service directly; the call ends with its signal, or with the port. */
  const request = async <P extends PortService['protocol'], T>(
    ip: string,
    port: number,
    protocol: P,
    signal: AbortSignal | undefined,
    call: (service: Extract<PortService, { protocol: P }>, ends: AbortSignal) => T | Promise<T>,
  ): Promise<T> => {
    const { service, closed } = lookUp(ip, port);
    if (service.protocol !== protocol) {
      const what = `${addressOf(ip, port)} speaks ${service.protocol}, not ${protocol}`;
      throw new PodNetworkError('WRONG_PROTOCOL', what);
    }
    const ends = signal === undefined ? closed : AbortSignal.any([signal, closed]);
    ends.throwIfAborted();
    const answer = call(service as Extract<PortService, { protocol: P }>, ends);
    return answer instanceof Promise ? abortable(answer, ends) : answer;
  };
  const close = (address: string, entry: Entry): void => {
    if (entries.get(address) !== entry) return;
    entries.delete(address);
    const closed = entry.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };

  return {
    serve(ip, port, service, pod) {
      const address = addressOf(ip, port);
      const warn = (error: string): void =>
        logger.warn('a port of a pod cannot be reached', { pod, port, address, error });
      if (disposed) return NOT_SERVED;
      if (entries.has(address)) {
        warn('EADDRINUSE: another pod or container serves it');
        return NOT_SERVED;
      }
      const { accept, closeAll } = trackConnections(connectionsOf(service));
      const listener: LoopbackListener | undefined =
        mode === 'loopback' ? listenOnLoopback(ip, port, accept, (error) => warn(error.message)) : undefined;
      const closed = new AbortController();
      const entry: Entry = {
        service,
        closed: closed.signal,
        accept,
        async close() {
          closed.abort(new PodNetworkError('ECONNRESET', `read ECONNRESET ${address}`));
          closeAll();
          await listener?.close();
        },
      };
      entries.set(address, entry);
      return {
        listening: listener?.listening ?? Promise.resolve(),
        [Symbol.dispose]: () => close(address, entry),
      };
    },
    async dial(ip, port) {
      const entry = lookUp(ip, port);
      const [client, server] = duplexPair();
      // As with a socket, a reset by either side resets the other.
      client.once('close', () => server.destroy());
      server.once('close', () => client.destroy());
      entry.accept(server);
      return client;
    },
    httpGet: (ip, port, path, { method = 'GET', headers = {}, signal } = {}) =>
      request(ip, port, 'http', signal, (service, ends) => service.respond({ method, path, headers }, ends)),
    grpcHealth: (ip, port, name = '', signal) =>
      request(ip, port, 'grpc', signal, (service, ends) => service.check(name, ends)),
    portsOf: (ip) =>
      [...entries.keys()]
        .filter((address) => address.startsWith(`${ip}:`))
        .map((address) => Number(address.slice(ip.length + 1)))
        .sort((a, b) => a - b),
    async [Symbol.asyncDispose]() {
      disposed = true;
      for (const [address, entry] of entries) close(address, entry);
      await Promise.all(closing);
    },
  };
}

/** Result of {@link PodNetwork.serve} for a port that is unreachable. */
const NOT_SERVED: ServedPort = { listening: Promise.resolve(), [Symbol.dispose]: () => undefined };

function addressOf(ip: string, port: number): string {
  return `${ip}:${String(port)}`;
}

function connectionsOf(service: PortService): (connection: Duplex) => void {
  switch (service.protocol) {
    case 'http':
      return httpConnections(service);
    case 'grpc':
      return grpcHealthConnections(service);
    case 'tcp':
      return (connection) => service.accept(connection);
  }
}

/** Records open connections, so that they can be reset. */
function trackConnections(handle: (connection: Duplex) => void): {
  accept(connection: Duplex): void;
  closeAll(): void;
} {
  const open = new Set<Duplex>();
  let closed = false;
  return {
    accept(connection) {
      // A reset by the client is not a failure of the service.
      connection.on('error', () => undefined);
      if (closed) {
        connection.destroy();
        return;
      }
      open.add(connection);
      connection.once('close', () => open.delete(connection));
      handle(connection);
    },
    closeAll() {
      closed = true;
      for (const connection of open) connection.destroy();
    },
  };
}
