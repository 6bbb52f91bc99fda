import type { IncomingMessage } from 'node:http';
import type { CommandOptions } from '../remote-command.ts';
import { offeredSubprotocols } from '../websocket/offered-subprotocols.ts';
import { isTunnel } from '../websocket/channels.ts';

/** The query of a stream is invalid. The message is the body of the answer, with status 400. */
export class BadStreamRequestError extends Error {
  override readonly name = 'BadStreamRequestError';
}

/**
 * Returns the streams of an exec or attach. Only the value `1` requests one, and stderr is dropped beside a terminal.
 * @throws BadStreamRequestError when none was requested
 */
export function parseCommandOptions(query: URLSearchParams): CommandOptions {
  const isSet = (name: string): boolean => query.get(name) === '1';
  const tty = isSet('tty');
  const [stdin, stdout, stderr] = [isSet('input'), isSet('output'), isSet('error') && !tty];
  if (!stdin && !stdout && !stderr) {
    throw new BadStreamRequestError('you must specify at least 1 of stdin, stdout, stderr');
  }
  return { stdin, stdout, stderr, tty };
}

/**
 * Returns the ports of a port-forward over WebSocket channels. Other protocols name the port of each connection, and have none.
 * @throws BadStreamRequestError when there is none, or one is invalid
 */
export function parseForwardedPorts(
  query: URLSearchParams,
  message: Pick<IncomingMessage, 'headers'>,
): readonly number[] {
  const isWebSocket = message.headers.upgrade?.toLowerCase() === 'websocket';
  if (!isWebSocket || offeredSubprotocols(message).some(isTunnel)) return [];
  const values = query.getAll('port');
  if (values.length === 0) throw new BadStreamRequestError('query parameter "port" is required');
  return values.flatMap((value) => {
    if (value === '') throw new BadStreamRequestError('query parameter "port" cannot be empty');
    return value.split(',').map((text) => parsePort(text, value));
  });
}

function parsePort(text: string, value: string): number {
  const fail = (cause: string): never => {
    throw new BadStreamRequestError(
      `unable to parse ${JSON.stringify(value)} as a port: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${cause}`,
    );
  };
  if (!/^\d+$/.test(text)) return fail('invalid syntax');
  const port = Number(text);
  if (port > 0xffff) return fail('value out of range');
  if (port < 1) throw new BadStreamRequestError(`port ${JSON.stringify(value)} must be > 0`);
  return port;
}
