import { Duplex } from 'node:stream';
import type { Clock, Timer } from '@rxlet/component-base';
import { controlFrame, createFrameReader, dataFrame, FLAG_FIN, type Frame, FrameType, uint32 } from './frames.ts';
import { createHeaderCodec, type SpdyHeaders } from './header-codec.ts';

/** A stream of a SPDY connection. */
export interface SpdyStream {
  readonly id: number;
  readonly headers: SpdyHeaders;
  /** Its end half-closes the stream; its destruction resets it. */
  readonly duplex: Duplex;
}

/** One end of a SPDY connection. */
export interface SpdyConnection {
  /** Aborts when the connection has ended, from either side. */
  readonly signal: AbortSignal;
  /** Opens a stream. Its id is odd on the client's side. A stream that the peer rejects is destroyed. */
  open(headers: SpdyHeaders, options?: { readonly isHalfClosed?: boolean }): Promise<Duplex>;
  /** Resets all open streams and ends the connection after the pending frames. */
  close(): void;
}

/** Options of {@link createSpdyConnection}. */
export interface SpdyOptions {
  readonly clock: Clock;
  /** Called for each stream of the peer. Returns what follows when the peer knows that it is accepted; `undefined` resets it. Default: all are reset. */
  readonly onStream?: (stream: SpdyStream) => (() => void) | undefined;
  /** Called for each frame, in both directions. */
  readonly onActivity?: () => void;
}

const STREAM_ID = 0x7fffffff;
const RST_CANCEL = 5;
const RST_REFUSED = 3;
/** Pings of a server have even numbers. */
const SERVER_PING = 2;
/** More streams than any client opens. */
const MAX_STREAMS = 1000;
/** Answers to control frames that may wait for a peer that does not read: more than any client causes. */
const MAX_UNSENT_ANSWERS = 10_000;
const MAX_DATA_BYTES = 64 * 1024;
/** Time for the peer to close a connection that this side has ended. */
const CLOSE_TIMEOUT_MS = 10_000;
/** Time between two pings to a client that has ended its side. */
const PROBE_MS = 1000;

/**
 * Creates one end of SPDY/3.1 on a connection as the streaming clients and servers of Kubernetes implement it: clients open streams, and windows are ignored; a
 * stream without a reader holds the whole connection back. A client that has half-closed its connection still gets the output of its streams, as from other runtimes.
 */
export function createSpdyConnection(
  socket: Duplex,
  { clock, onStream = () => undefined, onActivity = () => undefined }: SpdyOptions,
): SpdyConnection {
  const codec = createHeaderCodec();
  const streams = new Map<number, Duplex>();
  const resetByPeer = new WeakSet<Duplex>();
  /** Streams that the peer has half-closed. Data that it sends on one of them all the same is dropped. */
  const endedByPeer = new WeakSet<Duplex>();
  const controller = new AbortController();
  let probe: Timer | undefined;
  let closing: Timer | undefined;
  /** Stops waiting for the reader of a stream. */
  let unblock: (() => void) | undefined;
  let nextId = 1;
  let lastReceivedId = 0;
  socket.on('error', () => undefined);
  socket.once('close', () => {
    probe?.[Symbol.dispose]();
    closing?.[Symbol.dispose]();
    unblock?.();
    controller.abort(new Error('the peer has disconnected'));
    // Received frames still count: the end is seen before the frames in front of it have been processed.
    void reading.then(() => {
      for (const duplex of streams.values()) endReading(duplex);
      codec[Symbol.dispose]();
    });
  });
  const send = (frame: Buffer, done?: (error?: Error | null) => void): void => {
    onActivity();
    if (socket.writable) socket.write(frame, done);
    else done?.(new Error('the peer has disconnected'));
  };
  let unsentAnswers = 0;
  /** Sends the answer to a control frame. Answers do not wait for the peer, so that a peer that reads none of very many is disconnected. */
  const sendAnswer = (frame: Buffer): void => {
    if (unsentAnswers >= MAX_UNSENT_ANSWERS) {
      socket.destroy();
      return;
    }
    unsentAnswers += 1;
    send(frame, () => {
      unsentAnswers -= 1;
    });
  };
  const reset = (id: number, code: number): void => sendAnswer(controlFrame(FrameType.rstStream, id, uint32(code)));

  const createStream = (id: number, isHalfClosed = false): Duplex => {
    let isFinished = isHalfClosed;
    const duplex: Duplex = new Duplex({
      read: () => undefined,
      write(chunk: Buffer, _encoding, done) {
        if (resetByPeer.has(duplex)) {
          done(new Error('the peer has reset the stream'));
          return;
        }
        const parts: Buffer[] = [];
        for (let start = 0; start < chunk.length; start += MAX_DATA_BYTES) {
          parts.push(dataFrame(id, chunk.subarray(start, start + MAX_DATA_BYTES), false));
        }
        send(parts.length === 1 ? parts[0]! : Buffer.concat(parts), done);
      },
      final(done) {
        if (isFinished || resetByPeer.has(duplex)) {
          done();
          return;
        }
        isFinished = true;
        send(dataFrame(id, Buffer.alloc(0), true), done);
      },
      destroy(error, done) {
        streams.delete(id);
        if (!isFinished && !resetByPeer.has(duplex)) reset(id, RST_CANCEL);
        if (probe !== undefined && streams.size === 0) socket.end();
        done(error);
      },
    });
    duplex.on('error', () => undefined);
    streams.set(id, duplex);
    if (isHalfClosed) duplex.end();
    return duplex;
  };
  const endInput = (duplex: Duplex): void => {
    endedByPeer.add(duplex);
    duplex.push(null);
  };
  const receiveStream = async ({ flags, data }: Frame): Promise<void> => {
    const id = data.readUInt32BE(0) & STREAM_ID;
    // Decoded in any case, because later blocks depend on it.
    const headers = await codec.decode(data.subarray(10));
    if (streams.size >= MAX_STREAMS || streams.has(id)) {
      reset(id, RST_REFUSED);
      return;
    }
    lastReceivedId = id;
    const duplex = createStream(id);
    if ((flags & FLAG_FIN) !== 0) endInput(duplex);
    const reply = await codec.encode({});
    const accepted = onStream({ id, headers, duplex });
    if (accepted === undefined) {
      duplex.destroy();
      return;
    }
    sendAnswer(controlFrame(FrameType.synReply, id, reply));
    accepted();
  };
  const receiveData = async ({ streamId, flags, data }: Frame): Promise<void> => {
    const duplex = streams.get(streamId);
    if (duplex === undefined || endedByPeer.has(duplex)) return;
    if (data.length > 0 && !duplex.push(data) && !socket.destroyed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      unblock = resolve;
      await Promise.race([readable(duplex), promise]);
    }
    if ((flags & FLAG_FIN) !== 0) endInput(duplex);
  };
  const receive = async (frame: Frame): Promise<void> => {
    onActivity();
    switch (frame.type) {
      case undefined:
        return receiveData(frame);
      case FrameType.synStream:
        return receiveStream(frame);
      case FrameType.synReply:
      case FrameType.headers:
        await codec.decode(frame.data.subarray(4));
        return;
      case FrameType.ping: {
        const number = frame.data.readUInt32BE(0);
        // The answer to a ping of this side needs none.
        if (probe === undefined || number !== SERVER_PING) sendAnswer(controlFrame(FrameType.ping, number));
        return;
      }
      case FrameType.rstStream: {
        const id = frame.data.readUInt32BE(0) & STREAM_ID;
        const duplex = streams.get(id);
        if (duplex === undefined) return;
        resetByPeer.add(duplex);
        streams.delete(id);
        endReading(duplex);
        return;
      }
      default:
        // Settings, windows and farewells need no answer.
        return;
    }
  };
  const readAll = async (): Promise<void> => {
    const reader = createFrameReader();
    for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      for (const frame of reader.read(chunk)) {
        // A closing connection has no streams: what still arrives is only read, up to its end.
        if (closing === undefined) await receive(frame);
      }
    }
  };
  /** A connection that the client has closed and one that it has half-closed look the same until a write fails. */
  const watchDisconnect = (): void => {
    if (socket.destroyed) return;
    socket.write(controlFrame(FrameType.ping, SERVER_PING));
    probe = clock.setTimer(PROBE_MS, watchDisconnect);
  };
  const receiveEnd = (): void => {
    for (const duplex of streams.values()) duplex.push(null);
    if (streams.size === 0) socket.end();
    else watchDisconnect();
  };
  const reading = readAll().then(receiveEnd, () => void socket.destroy());
  return {
    signal: controller.signal,
    async open(headers, { isHalfClosed = false } = {}) {
      const id = nextId;
      nextId += 2;
      const duplex = createStream(id, isHalfClosed);
      // The codec keeps the order of the calls, and frames keep that of the codec.
      const block = await codec.encode(headers);
      const flags = isHalfClosed ? FLAG_FIN : 0;
      send(controlFrame(FrameType.synStream, id, Buffer.concat([Buffer.alloc(6), block]), flags));
      return duplex;
    },
    close() {
      if (closing !== undefined || socket.destroyed) return;
      closing = clock.setTimer(CLOSE_TIMEOUT_MS, () => socket.destroy());
      for (const duplex of [...streams.values()]) duplex.destroy();
      send(controlFrame(FrameType.goAway, lastReceivedId, uint32(0)));
      socket.end();
    },
  };
}

/** Ends a stream that gets no more data. It is destroyed when what has been received is read. */
function endReading(duplex: Duplex): void {
  duplex.once('end', () => duplex.destroy());
  duplex.push(null);
}

/** Resolves when the reader of a stream has caught up, or the stream is gone. */
function readable(duplex: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      duplex.off('close', settle);
      duplex._read = () => undefined;
      resolve();
    };
    duplex._read = settle;
    duplex.once('close', settle);
  });
}
