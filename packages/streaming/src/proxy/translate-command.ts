import { PassThrough, type Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorMessage } from '@rxlet/component-base';
import { connectCommand } from '../client/command-client.ts';
import { NotUpgradedError } from '../client/request-upgrade.ts';
import { readBody } from '../http/read-body.ts';
import { V5 } from '../remote-command.ts';
import type { CommandRequest, CommandStreams } from '../stream-request.ts';
import { exitStatus, internalErrorStatus, type StreamStatus } from '../stream-status.ts';
import { createTerminalSizes } from '../terminal-size.ts';
import { acceptWebSocket } from '../websocket/accept-websocket.ts';
import { serveCommandOverWebSocket } from '../websocket/websocket-command.ts';
import type { ProxyPorts, StreamTarget, UpgradeRequest } from './upgrade.ts';

/** Serves an exec or attach over `v5.channel.k8s.io`, and runs it on the runtime over SPDY, which has no half-close of its own in WebSockets. */
export async function translateCommand(
  { message, connection, head }: UpgradeRequest,
  { kind, url, options }: StreamTarget & { readonly kind: 'exec' | 'attach' },
  { clock, signal }: ProxyPorts,
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const run = async (streams: CommandStreams): Promise<StreamStatus> => {
    try {
      return await runOnRuntime(streams);
    } catch (error) {
      return internalErrorStatus(await explain(error));
    }
  };
  const explain = async (error: unknown): Promise<string> => {
    if (!(error instanceof NotUpgradedError)) return errorMessage(error);
    const body = (await readBody(error.answer, clock)).toString().trim();
    return `unable to upgrade connection: ${body === '' ? error.message : body}`;
  };
  const runOnRuntime = async (streams: CommandStreams): Promise<StreamStatus> => {
    const ports = { clock, signal: AbortSignal.any([streams.signal, signal]) };
    await using command = await connectCommand({ url }, options, ports);
    streams.onResize(command.resize);
    if (streams.stdin !== undefined && command.stdin !== undefined) {
      // A command that ends before its input has no use for the rest.
      pipeline(streams.stdin, command.stdin).catch(() => streams.stdin?.resume());
    }
    const output = Promise.all([copy(command.stdout, streams.stdout), copy(command.stderr, streams.stderr)]);
    const outcome = await command.outcome;
    await output;
    if (outcome.kind === 'failed') return internalErrorStatus(outcome.message);
    return exitStatus(outcome.code, `command terminated with exit code ${String(outcome.code)}`);
  };
  const request: CommandRequest = { kind, container: '', ...options, run };
  const isOpen = acceptWebSocket(message, connection, head, V5, (webSocket) => {
    webSocket.once('close', ended.resolve);
    serveCommandOverWebSocket(webSocket, V5, { clock, connection }, request, createTerminalSizes());
  });
  if (isOpen) await ended.promise;
}

/** Copies output to the client, which is held back while the client does not read. Output without a receiver is dropped. */
async function copy(from: Readable | undefined, to: Writable | undefined): Promise<void> {
  if (from === undefined) return;
  await pipeline(from, to ?? new PassThrough().resume()).catch(() => from.resume());
}
