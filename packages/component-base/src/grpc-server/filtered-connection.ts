import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { atEndOfTurn } from '../end-of-turn.ts';
import { createAuthorityFilter } from './authority-filter.ts';

/**
 * Wraps the socket of an HTTP/2 client, whose requests get an authority that Node.js accepts.
 *
 * The stream neither ends nor fails, it only closes: with an answer still unsent, Node.js would throw an internal error for either of them outside of all handlers.
 */
export function filteredConnection(socket: Socket): Duplex {
  const filter = createAuthorityFilter();
  const duplex = new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, () => done()),
    writev(chunks: { readonly chunk: Buffer }[], done) {
      socket.cork();
      for (const { chunk } of chunks.slice(0, -1)) socket.write(chunk);
      socket.write(chunks.at(-1)!.chunk, () => done());
      socket.uncork();
    },
    final: (done) => void socket.end(() => done()),
    destroy(_error, done) {
      socket.destroy();
      done(null);
    },
  });
  /** Parts that wait for their turn. */
  let waiting = 0;
  const pass = (part: Buffer): void => {
    // After a push that returns false, the next read asks for more.
    if (!duplex.push(part)) socket.pause();
  };
  socket.on('data', (chunk: Buffer) => {
    let isFirst = waiting === 0;
    for (const part of filter(chunk)) {
      if (isFirst) {
        pass(part);
        isFirst = false;
        continue;
      }
      // In a turn of its own: as with a plain socket, the work on a request begins before the next one arrives.
      waiting += 1;
      atEndOfTurn(() => {
        waiting -= 1;
        pass(part);
      });
    }
  });
  const close = (): void => void duplex.destroy();
  socket.once('end', () => atEndOfTurn(close));
  socket.on('error', close);
  socket.once('close', close);
  return duplex;
}
