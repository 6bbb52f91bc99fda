import { type Duplex, pipeline } from 'node:stream';
import { type Clock, errorMessage, onAbort, type Timer } from '@rxlet/component-base';
import { createIdleWatch } from '../idle-watch.ts';
import { forwardErrorMessage } from '../port-forward.ts';
import type { PortForwardRequest } from '../stream-request.ts';
import { createSpdyConnection, type SpdyStream } from './spdy-connection.ts';

/** Streams of one forwarded connection. */
interface Pair {
  data?: Duplex;
  error?: Duplex;
  readonly deadline: Timer;
}

/** Most connections of a client whose second stream has not come. */
const MAX_PENDING = 100;
/** Deadline for the second stream of a connection. */
const PAIR_TIMEOUT_MS = 30_000;

/** Forwards ports over SPDY: for each connection the client opens a stream for data and one for an error message, with the port and a number of the request. */
export function servePortForwardOverSpdy(socket: Duplex, clock: Clock, request: PortForwardRequest): void {
  const pending = new Map<string, Pair>();
  const idle = createIdleWatch(clock, () => socket.destroy());
  const discard = (id: string): void => {
    pending.get(id)?.deadline[Symbol.dispose]();
    pending.delete(id);
  };
  const expire = (id: string): void => {
    const pair = pending.get(id);
    discard(id);
    pair?.error?.end(`(request=${id}) timed out waiting for streams`);
    pair?.data?.end();
  };
  const receive = (stream: SpdyStream): (() => void) | undefined => {
    const { headers, duplex } = stream;
    const type = headers['streamtype'];
    const port = parsePort(headers['port']);
    if ((type !== 'data' && type !== 'error') || port === undefined) return undefined;
    const id = requestId(stream, type);
    const known = pending.get(id);
    if (known?.[type] !== undefined) {
      known.error?.write(`error processing stream for request ${id}: ${type} stream already assigned`);
      return () => duplex.resume();
    }
    if (known === undefined && pending.size >= MAX_PENDING) return undefined;
    const pair: Pair = known ?? { deadline: clock.setTimer(PAIR_TIMEOUT_MS, () => expire(id)) };
    pair[type] = duplex;
    pending.set(id, pair);
    const { data, error } = pair;
    if (data === undefined || error === undefined) return () => undefined;
    discard(id);
    return () => void forward(port, data, error);
  };
  const { signal } = createSpdyConnection(socket, { clock, onStream: receive, onActivity: idle.touch });
  onAbort(signal, () => {
    idle[Symbol.dispose]();
    for (const id of pending.keys()) discard(id);
  });

  const forward = async (port: number, data: Duplex, error: Duplex): Promise<void> => {
    error.resume();
    try {
      await copyBothWays(data, await request.dial(port));
      data.end();
      error.end();
    } catch (failure) {
      // The rest of the client's data has no receiver.
      data.resume();
      data.end();
      error.end(forwardErrorMessage(port, request.pod, errorMessage(failure)));
    }
  };
}

function parsePort(text = ''): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port <= 0xffff ? port : undefined;
}

/** Returns the number of a stream's request. Clients that send none open both streams one after the other, the one for errors first. */
function requestId({ id, headers }: SpdyStream, type: 'data' | 'error'): string {
  const given = headers['requestid'] ?? '';
  if (given !== '') return given;
  return String(type === 'error' ? id : id - 2);
}

/** Copies between two connections until both directions have ended. The end of one direction half-closes the other side, so that the other direction goes on. */
async function copyBothWays(first: Duplex, second: Duplex): Promise<void> {
  await Promise.all([copy(first, second), copy(second, first)]);
}

function copy(from: Duplex, to: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    pipeline(from, to, (error) => {
      // A connection that was reset is an end, too.
      if (error === null || error === undefined || error.code === 'ERR_STREAM_PREMATURE_CLOSE') resolve();
      else reject(error);
    });
  });
}
