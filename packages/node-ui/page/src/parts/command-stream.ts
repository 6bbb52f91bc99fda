/** A command in a container over a WebSocket, by the protocol `v5.channel.k8s.io`: the first byte of each message is its channel. */
export interface CommandStream {
  input(text: string): void;
  resize(columns: number, rows: number): void;
  close(): void;
}

/** Receives what a command does. */
export interface CommandListener {
  opened(): void;
  output(bytes: Uint8Array): void;
  /** Called once, with why it is over. */
  ended(reason: string): void;
}

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
const RESIZE = 4;

/** Opens a {@link CommandStream} with a ticket of the server. */
export function openCommand(url: string, ticket: string, listener: CommandListener): CommandStream {
  const socket = new WebSocket(url, ['v5.channel.k8s.io', `rxlet.ticket.${ticket}`]);
  socket.binaryType = 'arraybuffer';
  let isOver = false;
  const end = (reason: string): void => {
    if (isOver) return;
    isOver = true;
    listener.ended(reason);
  };
  socket.addEventListener('open', () => listener.opened());
  socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => {
    const bytes = new Uint8Array(data);
    const content = bytes.subarray(1);
    if (bytes[0] === STDOUT || bytes[0] === STDERR) listener.output(content);
    if (bytes[0] === STATUS) end(describeStatus(new TextDecoder().decode(content)));
  });
  socket.addEventListener('close', ({ reason }) => end(reason === '' ? 'the connection is closed' : reason));
  const send = (channel: number, text: string): void => {
    if (socket.readyState !== WebSocket.OPEN) return;
    const content = new TextEncoder().encode(text);
    const message = new Uint8Array(content.length + 1);
    message[0] = channel;
    message.set(content, 1);
    socket.send(message);
  };
  return {
    input: (text) => send(STDIN, text),
    resize: (columns, rows) => send(RESIZE, JSON.stringify({ Width: columns, Height: rows })),
    close: () => socket.close(),
  };
}

function describeStatus(text: string): string {
  try {
    const { status, message = '' } = JSON.parse(text) as { readonly status?: string; readonly message?: string };
    return status === 'Success' ? 'the command has ended' : message;
  } catch {
    return text;
  }
}
