import type { Socket } from 'node:net';
import { finished, type Writable } from 'node:stream';

/** Buffers of a connection: one is read while the other one is written. More of them are slower, as they do not stay in the cache. */
const BUFFERS = 2;

/** Size of a buffer, four times what Node reads at once without one. Only what is read takes memory: little, unless a connection sends more than the other side takes. */
const BUFFER_BYTES = 256 * 1024;

/**
 * Reads of a connection into a few buffers that are used again. Node's own reads allocate a buffer each, whose memory is outside the heap: a bulk transfer pays for
 * them with a full garbage collection every 50 MB.
 *
 * Until {@link copyTo} is called, what is read is copied, and the socket is one like any other.
 */
export class ReusedReads {
  /** Option of `net.connect`. */
  readonly onread: {
    readonly buffer: () => Buffer;
    readonly callback: (length: number, buffer: Uint8Array) => boolean;
  };
  readonly #buffers: Buffer[] = [];
  #position = 0;
  /** Buffers whose content is being written: the last ones that were read, as writes end in their order. */
  #writing = 0;
  #isHeld = false;
  #socket: Socket | undefined;
  #destination: Writable | undefined;

  constructor() {
    this.onread = {
      buffer: () => this.#nextBuffer(),
      callback: (length, { buffer, byteOffset }) => this.#take(Buffer.from(buffer, byteOffset, length)),
    };
  }

  /** Sets the socket, which connects with {@link onread}. */
  attach(socket: Socket): void {
    this.#socket = socket;
  }

  /**
   * Copies what is read to `destination`, which ends when the connection does. A destination that does not write holds the connection back.
   * @param onEnd called when everything is written, and with errors of either side
   */
  copyTo(destination: Writable, onEnd: (error?: Error | null) => void): void {
    const socket = this.#socket!;
    finished(destination, { readable: false }, onEnd);
    finished(socket, { writable: false }, (error) => {
      if (error === null || error === undefined) destination.end();
      else onEnd(error);
    });
    for (let chunk: unknown; (chunk = socket.read()) !== null;) destination.write(chunk);
    this.#destination = destination;
    socket.resume();
  }

  /** Returns the buffer of the next read. When all are being written, it is the last one: nothing is read before that is written, too. */
  #nextBuffer(): Buffer {
    if (this.#writing > 0 && this.#writing < BUFFERS) this.#position = (this.#position + 1) % BUFFERS;
    return (this.#buffers[this.#position] ??= Buffer.allocUnsafeSlow(BUFFER_BYTES));
  }

  /** @returns whether to read on */
  #take(chunk: Buffer): boolean {
    if (this.#destination === undefined) return this.#socket!.push(Buffer.from(chunk));
    this.#writing += 1;
    this.#isHeld = this.#writing === BUFFERS;
    this.#destination.write(chunk, () => this.#release());
    return !this.#isHeld;
  }

  #release(): void {
    this.#writing -= 1;
    if (this.#writing > 0 || !this.#isHeld) return;
    this.#isHeld = false;
    this.#socket!.resume();
  }
}
