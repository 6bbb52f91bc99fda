import type { IncomingMessage, RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { type Clock, errorMessage, onAbort } from '@rxlet/component-base';
import { httpModule } from '@rxlet/component-base/http-module';
import { ReusedReads } from '../reused-reads.ts';

/** Deadline for a streaming server to answer a request for an upgrade. */
export const UPGRADE_TIMEOUT_MS = 30_000;

/** Address of a streaming server: a URL, and the socket that leads there unless it is that of the URL. */
export interface StreamAddress {
  readonly url: string;
  /** Unix socket. */
  readonly socketPath?: string;
}

/** Request for an upgrade. */
export interface UpgradeCall extends StreamAddress {
  readonly method: string;
  /** Names and values, one after the other. */
  readonly headers: readonly string[];
  /** Whether the connection is for bulk transfers. */
  readonly isBulk?: boolean;
}

/** A connection that has been upgraded. */
export interface UpgradedConnection {
  readonly answer: IncomingMessage;
  readonly connection: Duplex;
  /** Reads of a connection for bulk transfers. Absent over TLS, which reads by itself. */
  readonly reads: ReusedReads | undefined;
}

/** A streaming server has answered a request for an upgrade in another way. The answer's body has not been read. */
export class NotUpgradedError extends Error {
  override readonly name = 'NotUpgradedError';
  readonly answer: IncomingMessage;

  constructor(answer: IncomingMessage) {
    super(`invalid upgrade response: status code ${String(answer.statusCode)}`);
    this.answer = answer;
  }
}

/**
 * Requests an upgrade. Rejects with a {@link NotUpgradedError}, or when the server cannot be reached, does not answer within 30 seconds, or `signal` aborts.
 */
export function requestUpgrade(
  { url, socketPath, method, headers, isBulk }: UpgradeCall,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<UpgradedConnection> {
  const { promise, resolve, reject } = Promise.withResolvers<UpgradedConnection>();
  signal.throwIfAborted();
  // The type has objects only; as an array, the headers keep their order, case and repetition.
  const isTls = url.startsWith('https:');
  const reads = isBulk === true && !isTls ? new ReusedReads() : undefined;
  const onread = reads?.onread;
  const options = { method, headers, agent: false, setHost: false, socketPath, onread } as unknown as RequestOptions;
  const outgoing = (isTls ? httpsRequest : httpModule.request)(url, options);
  outgoing.once('socket', (socket) => reads?.attach(socket));
  const fail = (error: unknown): void => {
    reject(error);
    outgoing.destroy();
  };
  const timer = clock.setTimer(UPGRADE_TIMEOUT_MS, () => {
    fail(new Error(`the streaming server did not answer within ${String(UPGRADE_TIMEOUT_MS / 1000)} s`));
  });
  const listener = onAbort(signal, fail);
  outgoing.once('upgrade', (answer, connection, head) => {
    connection.on('error', () => undefined);
    if (head.length > 0) connection.unshift(head);
    resolve({ answer, connection, reads });
  });
  outgoing.once('response', (answer) => reject(new NotUpgradedError(answer)));
  outgoing.on('error', (error) =>
    reject(new Error(`cannot connect to the streaming server: ${errorMessage(error)}`, { cause: error })),
  );
  outgoing.end();
  return promise.finally(() => {
    timer[Symbol.dispose]();
    listener[Symbol.dispose]();
  });
}
