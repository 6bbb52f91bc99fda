import type { Duplex } from 'node:stream';
import { type Clock, onAbort } from '@rxlet/component-base';
import { createIdleWatch } from '../idle-watch.ts';
import { type CommandOptions, formatStatus, V1, V2, V4 } from '../remote-command.ts';
import { runCommand } from '../run-command.ts';
import type { CommandRequest } from '../stream-request.ts';
import type { TerminalSizes } from '../terminal-size.ts';
import { createSpdyConnection } from './spdy-connection.ts';

/** Type of a stream, in its header `streamtype`. */
export type StreamType = 'error' | 'stdin' | 'stdout' | 'stderr' | 'resize';

const STREAM_TYPES: ReadonlySet<string> = new Set<StreamType>(['error', 'stdin', 'stdout', 'stderr', 'resize']);

/** Longest line with the size of a terminal. */
const MAX_LINE_LENGTH = 1024;

/**
 * Serves an exec or attach over SPDY: the client opens a stream for the status and one for each of stdin, stdout, stderr and the sizes of its terminal. The command
 * starts when as many streams as expected are open. A client that does not open them has an idle connection.
 */
export function serveCommandOverSpdy(
  socket: Duplex,
  clock: Clock,
  request: CommandRequest,
  sizes: TerminalSizes,
  protocol: string,
): void {
  const opened = new Map<string, Duplex>();
  const expected = expectedStreams(request, protocol).length;
  let received = 0;
  const idle = createIdleWatch(clock, () => socket.destroy());
  const connection = createSpdyConnection(socket, {
    clock,
    onActivity: idle.touch,
    onStream({ headers, duplex }) {
      const type = headers['streamtype'] ?? '';
      // As in other runtimes, a stream of an unknown type is accepted and ignored.
      if (!STREAM_TYPES.has(type)) {
        return () => duplex.resume();
      }
      opened.set(type, duplex);
      return () => {
        received += 1;
        if (received === expected) void serve();
      };
    },
  });
  onAbort(connection.signal, () => idle[Symbol.dispose]());

  const serve = async (): Promise<void> => {
    const resizes = opened.get('resize');
    if (resizes !== undefined) readLines(resizes, sizes.receive);
    const stdin = opened.get('stdin');
    const error = opened.get('error');
    // The first version has no stream for errors after the start; later versions repair that.
    if (protocol === V1) error?.destroy();
    const status = await runCommand(request, {
      stdin,
      stdout: opened.get('stdout'),
      stderr: opened.get('stderr'),
      signal: connection.signal,
      onResize: sizes.onResize,
    });
    const text = formatStatus(status, protocol === V4);
    if (text === '' || error?.writable !== true) connection.close();
    else error.write(text, () => connection.close());
  };
}

/** Calls `receive` with each line of a stream. A line that is too long for the size of a terminal resets the stream. */
function readLines(stream: Duplex, receive: (line: string) => void): void {
  let begun = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (begun + chunk.toString('latin1')).split('\n');
    begun = lines.pop()!;
    for (const line of lines) receive(line);
    if (begun.length > MAX_LINE_LENGTH) stream.destroy();
  });
  stream.once('end', () => receive(begun));
}

/** Returns the types of the streams that a client opens for an exec or attach, in the order of other clients. */
export function expectedStreams(
  { stdin, stdout, stderr, tty }: CommandOptions,
  protocol: string,
): readonly StreamType[] {
  return [
    'error',
    ...(stdin ? (['stdin'] as const) : []),
    ...(stdout ? (['stdout'] as const) : []),
    ...(stderr && !tty ? (['stderr'] as const) : []),
    ...(tty && protocol !== V1 && protocol !== V2 ? (['resize'] as const) : []),
  ];
}
