import { PassThrough } from 'node:stream';
import { onAbort } from '@rxlet/component-base';
import type { WebSocket } from 'ws';
import { formatStatus, V5 } from '../remote-command.ts';
import { runCommand } from '../run-command.ts';
import type { CommandRequest } from '../stream-request.ts';
import type { TerminalSizes } from '../terminal-size.ts';
import { type ChannelSocketPorts, createChannelSocket } from './channel-socket.ts';
import { Channel, codecOf, hasJsonStatus } from './channels.ts';

/**
 * Serves an exec or attach over a WebSocket. When it ends, its status is the last message, without one in protocols before v4 after a success; when the client
 * disconnects, stdin ends. Messages on unused channels are ignored.
 */
export function serveCommandOverWebSocket(
  webSocket: WebSocket,
  protocol: string,
  ports: Omit<ChannelSocketPorts, 'codec'>,
  request: CommandRequest,
  sizes: TerminalSizes,
): void {
  const stdin = request.stdin ? new PassThrough() : undefined;
  const socket = createChannelSocket(webSocket, { ...ports, codec: codecOf(protocol) }, (channel, data) => {
    if (channel === Channel.close && protocol === V5) {
      // A half-close names one of the five channels. Only stdin has an end that matters.
      if (data.length !== 1 || data[0]! > Channel.resize) socket.close();
      else if (data[0] === Channel.stdin) stdin?.end();
    } else if (channel === Channel.stdin && stdin?.writable === true) {
      if (!stdin.write(data)) stdin.once('drain', socket.hold());
    } else if (channel === Channel.resize && request.tty) sizes.receive(data.toString('utf8'));
  });
  onAbort(socket.signal, () => stdin?.end());
  // An empty message reports that the streams are open, as other runtimes do.
  const first = request.stdout ? Channel.stdout : request.stderr ? Channel.stderr : Channel.status;
  socket.send(first, new Uint8Array());
  void runCommand(request, {
    stdin,
    stdout: request.stdout ? socket.writable(Channel.stdout) : undefined,
    stderr: request.stderr && !request.tty ? socket.writable(Channel.stderr) : undefined,
    signal: socket.signal,
    onResize: sizes.onResize,
  }).then((status) => {
    const text = formatStatus(status, hasJsonStatus(protocol));
    if (text !== '') socket.send(Channel.status, Buffer.from(text));
    socket.close();
  });
}
