import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { errorMessage } from '@rxlet/component-base';
import { ApiError } from '../api-error.ts';
import type { CertificateAuthority } from '../certificates/certificate-authority.ts';
import type { ApiRequest, ApiResponse } from '../server/api-message.ts';
import type { NodeRoute } from './node-route.ts';

/** A connection on which a client asked for an upgrade. */
export interface UpgradeConnection {
  readonly socket: Duplex;
  /** Bytes that the client has sent already. */
  readonly head: Uint8Array;
  /** Names and values in turn, as the client sent them. */
  readonly rawHeaders: readonly string[];
}

/** Connections to kubelets, with a client certificate of the API server. */
export interface NodeConnections {
  /** Sends a request. Rejects with an `ApiError` when the node cannot be reached. */
  send(route: NodeRoute, message: ApiRequest): Promise<ApiResponse>;
  /** Joins a connection with one to a kubelet. Rejects with an `ApiError` when the node cannot be reached. */
  join(route: NodeRoute, method: string, connection: UpgradeConnection): Promise<void>;
}

/** Identity of an API server: clusters permit it everything on a kubelet. */
const IDENTITY = { commonName: 'kube-apiserver-kubelet-client', organizations: ['system:masters'] } as const;
const LIFETIME_MS = 365 * 86_400_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** Headers of the client that a kubelet must not get. */
const PRIVATE = new Set(['authorization', 'host', 'content-length', 'transfer-encoding']);

/** Creates {@link NodeConnections}. As in many clusters, the certificates of kubelets are not verified. */
export function createNodeConnections(authority: () => Promise<CertificateAuthority>): NodeConnections {
  let identity: Promise<{ readonly cert: string; readonly key: string }> | undefined;
  const issue = async (): Promise<{ readonly cert: string; readonly key: string }> => {
    const signer = await authority();
    const { certificatePem, keyPem } = await signer.issue({
      ...IDENTITY,
      usages: ['client auth'],
      lifetimeMs: LIFETIME_MS,
    });
    return { cert: certificatePem, key: keyPem };
  };
  const optionsOf = async ({ host, port, path }: NodeRoute, method: string) => ({
    ...(await (identity ??= issue())),
    host,
    port,
    path,
    method,
    rejectUnauthorized: false,
    agent: false as const,
    timeout: CONNECT_TIMEOUT_MS,
  });
  const unreachable = (error: unknown): ApiError =>
    new ApiError('InternalError', `error dialing backend: ${errorMessage(error)}`);

  return {
    async send(route, { method, signal }) {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const request = httpsRequest({ ...(await optionsOf(route, method)), ...(signal && { signal }) }, resolve);
      request.on('timeout', () => request.destroy(new Error('the connection timed out')));
      request.on('error', (error) => reject(unreachable(error)));
      request.end();
      const answer = await promise;
      // A followed log may be silent for long.
      answer.socket.setTimeout(0);
      const contentType = answer.headers['content-type'] ?? 'text/plain';
      return { status: answer.statusCode ?? 500, headers: { 'content-type': contentType }, body: answer };
    },
    async join(route, method, { socket, head, rawHeaders }) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const request = httpsRequest({ ...(await optionsOf(route, method)), headers: forwarded(rawHeaders, route) });
      request.on('timeout', () => request.destroy(new Error('the connection timed out')));
      request.on('error', (error) => reject(unreachable(error)));
      socket.on('close', () => request.destroy());
      request.on('response', (answer) => {
        socket.write(headOf(answer, ['Connection', 'close']));
        answer.pipe(socket);
        resolve();
      });
      request.on('upgrade', (answer, upstream, first) => {
        upstream.setTimeout(0);
        socket.write(headOf(answer, []));
        socket.write(first);
        upstream.write(head);
        upstream.pipe(socket);
        socket.pipe(upstream);
        upstream.on('error', () => socket.destroy());
        socket.on('error', () => upstream.destroy());
        upstream.on('close', () => socket.destroy());
        socket.on('close', () => upstream.destroy());
        resolve();
      });
      request.end();
      await promise;
    },
  };
}

/** Returns the headers for a kubelet, as names and values in turn. */
function forwarded(rawHeaders: readonly string[], { host, port }: NodeRoute): string[] {
  const kept = pairs(rawHeaders).filter(([name]) => !PRIVATE.has(name.toLowerCase()));
  // Without a length, a POST has an end of its own, which the stream would take for its begin.
  const length = ['Content-Length', '0'];
  return [length, ['Host', `${host.includes(':') ? `[${host}]` : host}:${String(port)}`], ...kept].flat();
}

function headOf(
  { statusCode = 500, statusMessage = '', rawHeaders }: IncomingMessage,
  added: readonly string[],
): string {
  const isReplaced = (name: string): boolean =>
    added.length > 0 && ['connection', 'transfer-encoding'].includes(name.toLowerCase());
  const headers = [...pairs(rawHeaders).filter(([name]) => !isReplaced(name)), ...pairs(added)];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${String(statusCode)} ${statusMessage}\r\n${lines.join('')}\r\n`;
}

function pairs(flat: readonly string[]): readonly (readonly [string, string])[] {
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ''] as const] : []));
}
