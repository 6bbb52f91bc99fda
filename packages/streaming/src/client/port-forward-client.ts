import type { Duplex } from 'node:stream';
import { type Clock, onAbort } from '@rxlet/component-base';
import { PORT_FORWARD } from '../port-forward.ts';
import { createSpdyConnection } from '../spdy/spdy-connection.ts';
import { requestUpgrade, type StreamAddress } from './request-upgrade.ts';

/** A connection to a port of a pod. */
export interface ForwardedConnection {
  readonly data: Duplex;
  /** Resolves when the connection has ended, with the message of the runtime when it failed. */
  readonly failure: Promise<string | undefined>;
}

/** A client of port-forwarding. Its disposal disconnects all connections. */
export interface PortForwarder extends AsyncDisposable {
  /** Aborts when the connection to the server has ended. */
  readonly signal: AbortSignal;
  /** Connects to a port of the pod. */
  dial(port: number): Promise<ForwardedConnection>;
}

/** Connects to a port-forward over SPDY. Rejects with a `NotUpgradedError` when the server rejects it. */
export async function connectPortForward(
  address: StreamAddress,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<PortForwarder> {
  const { connection } = await requestUpgrade(
    {
      ...address,
      method: 'POST',
      headers: [
        ...['Host', new URL(address.url).host, 'Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', 'Content-Length', '0'],
        ...['X-Stream-Protocol-Version', PORT_FORWARD],
      ],
    },
    { clock, signal },
  );
  const spdy = createSpdyConnection(connection, { clock });
  const listener = onAbort(signal, () => connection.destroy());
  onAbort(spdy.signal, () => listener[Symbol.dispose]());
  let requests = 0;
  return {
    signal: spdy.signal,
    async dial(port) {
      const headers = { port: String(port), requestid: String(requests) };
      requests += 1;
      const error = await spdy.open({ ...headers, streamtype: 'error' }, { isHalfClosed: true });
      const failure = readText(error);
      // The caller may have failed before it waits for the end.
      failure.catch(() => undefined);
      return { data: await spdy.open({ ...headers, streamtype: 'data' }), failure };
    },
    async [Symbol.asyncDispose]() {
      connection.destroy();
    },
  };
}

async function readText(stream: Duplex): Promise<string | undefined> {
  let text = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) text += chunk.toString();
  return text === '' ? undefined : text;
}
