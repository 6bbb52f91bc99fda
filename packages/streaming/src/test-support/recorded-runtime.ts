import { Duplex } from 'node:stream';
import { exitStatus, STREAM_SUCCESS, type StreamStatus } from '../stream-status.ts';
import type { CommandStreams, TerminalSize } from '../stream-request.ts';
import type { RecordedFrame, RecordedStream } from './recorded-streams.ts';

const CHANNELS = ['stdin', 'stdout', 'stderr', 'error', 'resize'];

/** Names the stream of a frame with data: by its channel, or by the type of its SPDY stream. */
export function streamNames({ frames = [] }: RecordedStream): (frame: RecordedFrame) => string | undefined {
  const types = new Map(
    frames.flatMap(({ '>': sent }) => (sent?.f === 'SYN_STREAM' ? [[sent.id, sent.h?.['streamtype']] as const] : [])),
  );
  return (frame) => (frame.f === undefined ? CHANNELS[Number(frame.ch)] : types.get(frame.id));
}

/** Returns a command that behaves as the one of the recording: it reads the client's input, writes the recorded output and ends with the recorded status. */
export function recordedCommand(stream: RecordedStream): (streams: CommandStreams) => Promise<StreamStatus> {
  const nameOf = streamNames(stream);
  const isBase64 = /base64/.test(stream.headers['Sec-WebSocket-Protocol'] ?? '');
  return async ({ stdin, stdout, stderr, onResize }) => {
    const input = (stdin as AsyncIterable<Buffer> | undefined)?.[Symbol.asyncIterator]();
    const sizes: TerminalSize[] = [];
    let onSize: (() => void) | undefined;
    onResize((size) => {
      sizes.push(size);
      onSize?.();
    });
    let status: StreamStatus = STREAM_SUCCESS;
    for (const step of stream.frames ?? []) {
      const [sent, received] = [step['>'], step['<']];
      if (step['open after'] !== undefined) await new Promise(() => undefined);
      if (sent !== undefined && nameOf(sent) === 'stdin') {
        for (let left = (sent.data ?? '').length; left > 0 && input !== undefined;) {
          const next = await input.next();
          if (next.done === true) break;
          left -= next.value.length;
        }
      }
      if (sent !== undefined && nameOf(sent) === 'resize' && sent.data?.startsWith('{') === true) {
        while (sizes.length === 0) await new Promise<void>((resolve) => (onSize = resolve));
        sizes.shift();
      }
      if (received?.data === undefined || received.data === '') continue;
      const text = isBase64 ? Buffer.from(received.data, 'base64').toString() : received.data;
      const output = received.len === undefined ? text : 'x'.repeat(received.len);
      const name = nameOf(received);
      if (name === 'stdout') stdout?.write(output);
      else if (name === 'stderr') stderr?.write(output);
      else if (name === 'error') status = runtimeStatus(text);
    }
    // Without a half-close the client's end of the connection ends the input.
    if (stdin !== undefined && endsByInput(stream)) for await (const chunk of stdin) void chunk;
    return status;
  };
}

/** Reports whether the command ended because its input did. */
function endsByInput({ frames = [] }: RecordedStream): boolean {
  const ends = ({ '>': sent }: { readonly '>'?: RecordedFrame }): boolean =>
    sent?.op === 'close' || sent?.ch === 255 || (sent?.f === 'DATA' && sent.flags === 1);
  return frames.some(ends);
}

const EXEC_FAILURE = /^(?:Internal error occurred: )+error executing command in container: /;

/** Returns the runtime's status behind a status that the client received: protocol v5 has the kubelet's words for an exit code. */
function runtimeStatus(text: string): StreamStatus {
  if (!text.startsWith('{')) return exitStatus(1, text.replace('command terminated with non-zero exit code: ', ''));
  const status = JSON.parse(text) as StreamStatus;
  if (status.status === 'Success') return STREAM_SUCCESS;
  if (status.reason !== 'NonZeroExitCode') throw new Error(status.message?.replace(EXEC_FAILURE, ''));
  const code = Number(status.details?.causes[0]?.message);
  return exitStatus(code, status.message?.replace('command terminated with non-zero exit code: ', ''));
}

/** Returns the pod's end of a connection: it answers the recorded request with the recorded response, or rejects with the recorded failure. */
export function recordedDial(stream: RecordedStream): (port: number) => Promise<Duplex> {
  const frames = (stream.frames ?? []).flatMap((step) => (step['<']?.data === undefined ? [] : [step['<'].data]));
  const response = frames.find((data) => data.startsWith('HTTP/1.1'));
  return async (port) => {
    const prefix = `error forwarding port ${String(port)} to pod <id-3>, uid : `;
    const failure = frames.find((data) => data.startsWith(prefix));
    if (failure !== undefined) throw new Error(failure.slice(prefix.length));
    const connection: Duplex = new Duplex({
      read: () => undefined,
      write(_chunk, _encoding, done) {
        if (response !== undefined) connection.push(response);
        if (response !== undefined) connection.push(null);
        done();
      },
    });
    return connection;
  };
}
