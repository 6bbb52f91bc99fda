import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { errorMessage } from '@rxlet/component-base';
import type { CommandRequest, CommandStreams } from './stream-request.ts';
import { internalErrorStatus, type StreamStatus } from './stream-status.ts';

/** Runs a command on a client's streams and returns its status when its output has been sent. */
export async function runCommand(request: CommandRequest, streams: CommandStreams): Promise<StreamStatus> {
  let status: StreamStatus;
  try {
    status = await request.run(streams);
  } catch (error) {
    const what = request.kind === 'exec' ? 'error executing command in' : 'error attaching to';
    status = internalErrorStatus(`${what} container: ${errorMessage(error)}`);
  }
  await Promise.all([streams.stdout, streams.stderr].map(finish));
  return status;
}

async function finish(stream: Writable | undefined): Promise<void> {
  if (stream === undefined || stream.destroyed || stream.writableFinished) return;
  stream.end();
  // The client may have disconnected.
  await finished(stream, { readable: false }).catch(() => undefined);
}
