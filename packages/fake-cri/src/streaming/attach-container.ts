import type { Container } from '../container.ts';
import { SIGWINCH } from './exec-in-container.ts';
import type { Pipe } from '../shell/pipe.ts';
import type { OutputTaps } from './output-taps.ts';
import type { CommandStreams, StreamedCommand } from './stream-request.ts';
import { STREAM_SUCCESS } from './stream-status.ts';

/**
 * Attaches a client to the program of a container: it gets the output from now on, until the program ends or the client goes away, and what it sends goes
 * to `input`, if that is given. The exit code is the container's, not the stream's, so that the end is always a success. Throws when the
 * container does not run.
 */
export function attachContainer(
  taps: OutputTaps,
  container: Container,
  streams: CommandStreams,
  input: Pipe | undefined,
): StreamedCommand {
  const { process } = container;
  if (process === undefined) throw new Error(`container "${container.id}" does not run`);
  const detach = taps.tap(container, (stream, text) => streams.write(stream, text));
  streams.signal.addEventListener('abort', detach, { once: true });
  if (input !== undefined) void forward(streams, container, input);
  return {
    ended: process.exited.then(() => STREAM_SUCCESS),
    resize: () => process.signal(SIGWINCH),
  };
}

/** Hands on what the client sends. Its end ends the program's input only if that is for one client (`stdin_once`); others may attach later. */
async function forward({ stdin, signal }: CommandStreams, { config }: Container, input: Pipe): Promise<void> {
  try {
    for (let text = await stdin.read(signal); text !== undefined; text = await stdin.read(signal)) input.write(text);
  } catch {
    // The client is gone, or nobody reads any more.
  }
  if (config.stdinOnce) input.end();
}
