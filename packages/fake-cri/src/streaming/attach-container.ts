import type { Container } from '../container.ts';
import { SIGWINCH } from './exec-in-container.ts';
import type { OutputTaps } from './output-taps.ts';
import type { CommandStreams, StreamedCommand } from './stream-request.ts';
import { STREAM_SUCCESS } from './stream-status.ts';

/**
 * Attaches a client to the program of a container: it gets the output from now on, until the program ends or the client goes away. The exit code is
 * the container's, not the stream's, so that the end is always a success. Throws when the container does not run.
 */
export function attachContainer(taps: OutputTaps, container: Container, streams: CommandStreams): StreamedCommand {
  const { process } = container;
  if (process === undefined) throw new Error(`container "${container.id}" does not run`);
  const detach = taps.tap(container, (stream, text) => streams.write(stream, text));
  streams.signal.addEventListener('abort', detach, { once: true });
  return {
    ended: process.exited.then(() => STREAM_SUCCESS),
    resize: () => process.signal(SIGWINCH),
  };
}
