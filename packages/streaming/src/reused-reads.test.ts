import type { Socket } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ReusedReads } from './reused-reads.ts';

describe('reads into buffers that are used again', () => {
  it('keep what is being written, and go on when all is written', () => {
    const { reads, socket, read } = setUp();
    const written: (() => string)[] = [];
    const finishes: (() => void)[] = [];
    const destination = new Writable({
      write(chunk: Buffer, _encoding, done) {
        written.push(() => chunk.toString());
        finishes.push(done);
      },
    });
    reads.copyTo(destination, () => undefined);
    let resumed = 0;
    socket.resume = () => {
      resumed += 1;
      return socket;
    };
    expect(['a', 'b'].map(read)).toEqual([true, false]);
    for (let index = 0; index < 2; index += 1) {
      expect(resumed).toBe(0);
      expect(written[index]!()).toBe('ab'[index]);
      finishes[index]!();
    }
    return expect.poll(() => resumed, { interval: 1 }).toBe(1);
  });

  it('copy what arrives before there is a destination', () => {
    const { socket, read } = setUp();
    read('HTTP/1.1 101');
    read('later bytes.');
    expect(String(socket.read())).toBe('HTTP/1.1 101later bytes.');
  });
});

/** Returns reads, and Node's part in one: it asks for the next buffer when it has passed on the last one. */
function setUp() {
  const reads = new ReusedReads();
  const socket = new PassThrough() as unknown as Socket;
  reads.attach(socket);
  const { buffer: next, callback } = reads.onread;
  let buffer = next();
  const read = (text: string): boolean => {
    const goesOn = callback(buffer.write(text), buffer);
    buffer = next();
    return goesOn;
  };
  return { reads, socket, read };
}
