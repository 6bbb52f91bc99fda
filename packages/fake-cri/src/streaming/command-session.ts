import { type Clock, errorMessage } from '@rxlet/component-base';
import type { WebSocket } from 'ws';
import { emptyInput } from '../process/program.ts';
import {
  CLOSE_CHANNEL,
  parseTerminalSize,
  RESIZE_CHANNEL,
  STATUS_CHANNEL,
  STDERR_CHANNEL,
  STDIN_CHANNEL,
  STDOUT_CHANNEL,
  type TerminalSize,
  V5,
} from './channels.ts';
import { createFrameSocket } from './frame-socket.ts';
import { createInputQueue, type InputQueue } from './input-queue.ts';
import type { CommandRequest, StreamedCommand } from './stream-request.ts';
import { internalErrorStatus, type StreamStatus } from './stream-status.ts';

const CHANNELS = { stdout: STDOUT_CHANNEL, stderr: STDERR_CHANNEL };

/**
 * Serves an exec or attach to a client that has come. When it ends, its status is the last frame; when the client goes away, stdin ends.
 * `onResize` is told of each new size of the client's terminal.
 */
export function serveCommand(
  webSocket: WebSocket,
  clock: Clock,
  request: CommandRequest,
  onResize: (size: TerminalSize) => void,
): void {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let stdin: InputQueue | undefined;
  let command: StreamedCommand | undefined;

  // As in other runtimes, what comes on a channel that has no use is ignored.
  const socket = createFrameSocket(webSocket, clock, (channel, data) => {
    if (channel === STDIN_CHANNEL) stdin?.push(data);
    else if (channel === CLOSE_CHANNEL && webSocket.protocol === V5 && data[0] === STDIN_CHANNEL) stdin?.end();
    else if (channel === RESIZE_CHANNEL && request.tty) {
      const size = parseTerminalSize(decoder.decode(data));
      if (size === undefined) return;
      onResize(size);
      command?.resize(size);
    }
  });
  const finish = (status: StreamStatus): void => {
    socket.send(STATUS_CHANNEL, encoder.encode(JSON.stringify(status)));
    socket.close();
  };

  if (request.stdin) {
    const queue = createInputQueue(socket.hold);
    stdin = queue;
    socket.signal.addEventListener('abort', () => queue.end(), { once: true });
  }
  // Tells the client that its streams are there, as other runtimes do.
  socket.send(request.stdout ? STDOUT_CHANNEL : request.stderr ? STDERR_CHANNEL : STATUS_CHANNEL, new Uint8Array());
  try {
    command = request.start({
      stdin: stdin ?? emptyInput,
      signal: socket.signal,
      write(stream, text) {
        const target = request.tty ? 'stdout' : stream;
        if (request[target]) socket.send(CHANNELS[target], encoder.encode(text));
      },
    });
  } catch (error) {
    const what = request.kind === 'exec' ? 'error executing command in' : 'error attaching to';
    finish(internalErrorStatus(`${what} container: ${errorMessage(error)}`));
    return;
  }
  void command.ended.then(finish);
}
