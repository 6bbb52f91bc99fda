import { onAbort } from '@rxlet/component-base';
import { type CommandStreams, STREAM_SUCCESS, type StreamStatus } from '@rxlet/streaming';
import type { Container } from '../runtime-objects.ts';
import type { Input } from '../process/program.ts';
import { type Pipe, PipeClosed } from '../shell/pipe.ts';
import { inputFrom, outputTo } from './client-streams.ts';
import { SIGWINCH } from './exec-in-container.ts';
import type { OutputTaps } from './output-taps.ts';

/**
 * Attaches a client to the program of a container: it gets the output from now on, and its input goes to `input`, if given, and is dropped otherwise. As in
 * containerd, it ends when the program exits, or when the client's input ends before. The exit code is the container's, not the stream's, so that the end is always
 * a success. Rejects when the container does not run.
 */
export async function attachContainer(
  taps: OutputTaps,
  container: Container,
  { stdin, ...streams }: CommandStreams,
  input: Pipe | undefined,
): Promise<StreamStatus> {
  const { process, config } = container;
  if (process === undefined) throw new Error(`container "${container.id}" does not run`);
  const detach = taps.tap(container, outputTo(streams, config.tty));
  using _listener = onAbort(streams.signal, detach);
  streams.onResize(() => process.signal(SIGWINCH));
  const ends: Promise<unknown>[] = [process.exited];
  if (input === undefined) stdin?.resume();
  else if (stdin !== undefined) {
    const forwarded = forward(inputFrom(stdin), input, streams.signal);
    // The program's input ends only if it is for one client; other clients may attach later.
    if (config.stdinOnce) void forwarded.then(() => input.end());
    else ends.push(forwarded);
  }
  await Promise.race(ends);
  detach();
  return STREAM_SUCCESS;
}

/** Passes on a client's input until it ends, the client disconnects or the program closes its input. */
async function forward(client: Input, input: Pipe, signal: AbortSignal): Promise<void> {
  try {
    for (let text = await client.read(signal); text !== undefined; text = await client.read(signal)) input.write(text);
  } catch (error) {
    if (!signal.aborted && !(error instanceof PipeClosed)) throw error;
  }
}
