import type { Duplex } from 'node:stream';
import { type Clock, errorMessage, onAbort } from '@rxlet/component-base';
import { type CommandOptions, V1, V2, V3, V4, V5 } from '../remote-command.ts';
import { createSpdyConnection, type SpdyConnection } from '../spdy/spdy-connection.ts';
import { expectedStreams, type StreamType } from '../spdy/spdy-command.ts';
import type { TerminalSize } from '../stream-request.ts';
import { parseOutcome, type StreamOutcome } from './outcome.ts';
import { requestUpgrade, type StreamAddress } from './request-upgrade.ts';

/** Protocols that a client offers, the best first, as the clients of Kubernetes do. */
const OFFERED = [V5, V4, V3, V2, V1];

/** An exec or attach that runs. Its disposal disconnects. */
export interface RemoteCommand extends AsyncDisposable {
  /** Its end half-closes the input. Absent when it was not requested. */
  readonly stdin: Duplex | undefined;
  readonly stdout: Duplex | undefined;
  readonly stderr: Duplex | undefined;
  /** Sends the size of the terminal, if there is one. */
  resize(size: TerminalSize): void;
  /** Resolves with the outcome when the command has ended. All of its output has been received then, but not necessarily been read. Rejects when the connection breaks. */
  readonly outcome: Promise<StreamOutcome>;
  /** Disconnects at once. */
  close(): void;
}

/**
 * Connects to an exec or attach over SPDY. `path` and query of the URL are those of the runtime's URL, or of `/exec` and `/attach` of a kubelet. Rejects with a
 * `NotUpgradedError` when the server rejects it.
 */
export async function connectCommand(
  address: StreamAddress,
  options: CommandOptions,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<RemoteCommand> {
  const { answer, connection } = await requestUpgrade(
    {
      ...address,
      method: 'POST',
      headers: [
        ...['Host', new URL(address.url).host, 'Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', 'Content-Length', '0'],
        ...OFFERED.flatMap((name) => ['X-Stream-Protocol-Version', name]),
      ],
    },
    { clock, signal },
  );
  const protocol = String(answer.headers['x-stream-protocol-version'] ?? V1);
  const spdy = createSpdyConnection(connection, { clock });
  const listener = onAbort(signal, () => connection.destroy());
  onAbort(spdy.signal, () => listener[Symbol.dispose]());

  const streams = new Map<StreamType, Duplex>();
  for (const type of expectedStreams(options, protocol)) streams.set(type, await spdy.open({ streamtype: type }));
  streams.get('error')!.end();
  for (const type of ['stdout', 'stderr'] as const) streams.get(type)?.end();
  const resizes = streams.get('resize');
  const outcome = readOutcome(streams.get('error')!, protocol, spdy);
  // The caller may have failed before it waits for the outcome.
  outcome.catch(() => undefined);
  return {
    stdin: streams.get('stdin'),
    stdout: streams.get('stdout'),
    stderr: streams.get('stderr'),
    resize({ width, height }) {
      if (resizes?.writable === true) resizes.write(`${JSON.stringify({ Width: width, Height: height })}\n`);
    },
    outcome,
    close: () => void connection.destroy(),
    async [Symbol.asyncDispose]() {
      connection.destroy();
    },
  };
}

async function readOutcome(error: Duplex, protocol: string, spdy: SpdyConnection): Promise<StreamOutcome> {
  let text = '';
  for await (const chunk of error as AsyncIterable<Buffer>) text += chunk.toString();
  // Before v4 there is no status after a success.
  if (text === '' && (protocol === V4 || protocol === V5)) {
    throw new Error('error reading from error stream: the connection was lost before the command ended');
  }
  if (text === '' && spdy.signal.aborted) throw new Error(errorMessage(spdy.signal.reason));
  return parseOutcome(text, protocol === V4 || protocol === V5);
}
