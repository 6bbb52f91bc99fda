import type { Duplex, Writable } from 'node:stream';
import { drained, errorMessage, onAbort } from '@rxlet/component-base';
import {
  type CommandStreams,
  exitStatus,
  STREAM_SUCCESS,
  type StreamStatus,
  type TerminalSize,
} from '@rxlet/streaming';
import type { Backend } from '../backend.ts';
import { readFrames } from '../engine/multiplexed-stream.ts';
import { exitCodeOf } from './exec-sync.ts';

/** An exec or attach. */
export interface CommandOptions {
  readonly containerId: string;
  readonly tty: boolean;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

type Part = Pick<Backend, 'engine' | 'clock' | 'lifetime' | 'logger'>;

/** Largest beginning of an output that is kept to explain a command that could not be started. */
const MAX_EXPLANATION_BYTES = 4096;

/** Runs a command in a container on a client's streams. A client that disconnects does not end the command, as in other runtimes. */
export async function streamExec(
  backend: Part,
  { containerId, tty, stdin, stdout, stderr }: CommandOptions,
  cmd: readonly string[],
  streams: CommandStreams,
): Promise<StreamStatus> {
  const { engine, lifetime } = backend;
  const { signal } = lifetime;
  const attached = { AttachStdin: stdin, AttachStdout: stdout, AttachStderr: stderr, Tty: tty };
  const body = { ...attached, Cmd: cmd };
  const { Id } = await engine.json<{ Id: string }>('POST', `/containers/${containerId}/exec`, { body, signal });
  const connection = await engine.hijack(`/exec/${Id}/start`, { body: { Detach: false, Tty: tty }, signal });
  const beginning = await connectStreams(backend, connection, streams, tty, `/exec/${Id}/resize`);
  // The client is the only reader of the exit code.
  return exitStatus(await exitCodeOf(backend, Id, beginning, AbortSignal.any([signal, streams.signal])));
}

/** Attaches a client to the program of a container until that exits or the client disconnects. */
export async function streamAttach(
  backend: Part,
  options: CommandOptions,
  streams: CommandStreams,
): Promise<StreamStatus> {
  const { containerId, tty, stdin, stdout, stderr } = options;
  const connection = await backend.engine.hijack(`/containers/${containerId}/attach`, {
    query: { stream: true, stdin, stdout, stderr },
    signal: backend.lifetime.signal,
  });
  await connectStreams(backend, connection, streams, tty, `/containers/${containerId}/resize`);
  return STREAM_SUCCESS;
}

/** Connects Docker's stream with those of a client until Docker's ends or the client disconnects. Returns the beginning of the output. */
async function connectStreams(
  { engine, logger }: Part,
  connection: Duplex,
  { stdin, stdout, stderr, signal, onResize }: CommandStreams,
  tty: boolean,
  resizePath: string,
): Promise<Uint8Array> {
  using _listener = onAbort(signal, () => connection.destroy());
  const kept: Buffer[] = [];
  let keptBytes = 0;
  const pass = async (target: Writable | undefined, data: Buffer): Promise<void> => {
    if (keptBytes < MAX_EXPLANATION_BYTES) {
      kept.push(data.subarray(0, MAX_EXPLANATION_BYTES - keptBytes));
      keptBytes += data.length;
    }
    if (target === undefined || target.destroyed) return;
    if (!target.write(data)) await drained(target);
  };
  try {
    onResize(({ width, height }: TerminalSize) => {
      const query = { w: width, h: height };
      engine.json('POST', resizePath, { query }).catch((error: unknown) => {
        // The program may have ended, or not have begun.
        logger.debug('cannot resize a terminal', { path: resizePath, error: errorMessage(error) });
      });
    });
    stdin?.pipe(connection);
    if (tty) {
      for await (const data of connection as AsyncIterable<Buffer>) await pass(stdout, data);
    } else {
      for await (const frames of readFrames(connection)) {
        for (const { stream, data } of frames) await pass(stream === 'stdout' ? stdout : stderr, data);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stdin?.unpipe(connection);
    connection.destroy();
  }
  return Buffer.concat(kept);
}
