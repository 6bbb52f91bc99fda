import { Socket } from 'node:net';
import { type Duplex, finished } from 'node:stream';
import { atEndOfTurn, onAbort } from '@rxlet/component-base';
import type { ProxyPorts } from './proxy/upgrade.ts';
import type { ReusedReads } from './reused-reads.ts';

/** Time for the other side of a connection to close it when one has ended. */
export const CLOSE_TIMEOUT_MS = 10_000;

/** Listeners that a pair of pipelines adds to an event. */
const LISTENERS = 10;

/**
 * Copies between two connections until one of them ends, then closes both: what is on its way may still arrive for ten seconds. Resolves when both are closed. A side
 * that does not read holds the other one back. When `signal` aborts, both are closed at once. Nothing else may keep what is read from them: its memory is used again or freed.
 * @param reads reads of `second`, if it does not read by itself
 */
export async function joinConnections(
  first: Duplex,
  second: Duplex,
  { clock, signal }: ProxyPorts,
  reads?: ReusedReads,
): Promise<void> {
  // Two pipelines and their owners listen to the same few events.
  for (const each of [first, second]) each.setMaxListeners(each.getMaxListeners() + LISTENERS);
  const closed = Promise.all([closeOf(first), closeOf(second)]);
  const destroyBoth = (): void => {
    first.destroy();
    second.destroy();
  };
  using releases = new DisposableStack();
  releases.use(onAbort(signal, destroyBoth));
  let isEnding = false;
  const onEnd = (error: Error | null | undefined): void => {
    if (error !== null && error !== undefined) {
      destroyBoth();
      return;
    }
    if (isEnding) return;
    isEnding = true;
    releases.use(clock.setTimer(CLOSE_TIMEOUT_MS, destroyBoth));
    first.end();
    second.end();
  };
  copyInput(first, second, onEnd);
  if (reads === undefined) copyInput(second, first, onEnd);
  else reads.copyTo(first, onEnd);
  await closed;
}

/**
 * Copies `from` to `to`, which ends with it. A receiver that has closed takes no more, but what it has sent must still reach the other side: unlike `pipeline`, this
 * destroys nothing.
 *
 * What arrives together is written at once: TLS passes its records on one by one, of which some are the eight bytes of a frame's head.
 */
function copyInput(from: Duplex, to: Duplex, onEnd: (error?: Error | null) => void): void {
  finished(from, { writable: false }, onEnd);
  let isGathering = false;
  const flush = (): void => {
    isGathering = false;
    to.uncork();
    // Most often all of it is on its way by now, and the turn has no more of it than a few reads.
    if (to.writableNeedDrain && to.writableLength > 0) from.pause();
  };
  const unwritten: Buffer[] = [];
  // A stream other than a socket may pass on what it has taken.
  const onWritten = to instanceof Socket ? () => freeMemory(unwritten.shift()!) : undefined;
  const write = (chunk: Buffer): void => {
    if (!isGathering) {
      isGathering = true;
      to.cork();
      atEndOfTurn(flush);
    }
    if (onWritten !== undefined) unwritten.push(chunk);
    to.write(chunk, onWritten);
  };
  from.on('data', write);
  from.once('end', () => to.end());
  to.on('drain', () => from.resume());
  to.once('close', () => {
    from.off('data', write);
    from.resume();
  });
}

/**
 * Frees the memory of a read that has been passed on, unless it is a part of something larger. Left to the garbage collector, an upload may take a collection of the whole heap
 * every 50 MB.
 */
function freeMemory({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Resolves when a connection is closed. */
export function closeOf(connection: Duplex): Promise<void> {
  if (connection.closed) return Promise.resolve();
  return new Promise((resolve) => void connection.once('close', resolve));
}
