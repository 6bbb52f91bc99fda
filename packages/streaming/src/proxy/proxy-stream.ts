import type { IncomingMessage } from 'node:http';
import { CLOSE_TIMEOUT_MS, closeOf } from '../join-connections.ts';
import { V5 } from '../remote-command.ts';
import { offeredSubprotocols } from '../websocket/offered-subprotocols.ts';
import { isTunnel } from '../websocket/channels.ts';
import type { ProxyPorts, StreamTarget, UpgradeRequest } from './upgrade.ts';
import { onAbort } from '@rxlet/component-base';

/**
 * Connects a client to the runtime's streaming server, as the kubelet does it. Commands over `v5.channel.k8s.io` are translated to SPDY, port-forwards over
 * `SPDY/3.1+….k8s.io` are unwrapped; everything else is passed to the runtime as it is. Answers every failure itself. Nothing is buffered beyond the streams' own
 * limits: a side that does not read holds the other one back.
 * @returns a promise that resolves when the stream has ended and the client's connection is closed
 */
export async function proxyStream(request: UpgradeRequest, target: StreamTarget, ports: ProxyPorts): Promise<void> {
  const { connection, message } = request;
  // A broken connection: `close` follows.
  connection.on('error', () => undefined);
  using _listener = onAbort(ports.signal, () => connection.destroy());
  try {
    ports.signal.throwIfAborted();
    // Most node agents never see a stream: its code is loaded with the first one.
    const isTranslated = isTranslatedWebSocket(message, target.kind);
    if (isTranslated && target.kind !== 'portforward') {
      const { translateCommand } = await import('./translate-command.ts');
      await translateCommand(request, target, ports);
    } else if (isTranslated && target.kind === 'portforward') {
      const { tunnelPortForward } = await import('./tunnel-port-forward.ts');
      await tunnelPortForward(request, target, ports);
    } else {
      const { passThrough } = await import('./pass-through.ts');
      await passThrough(request, target, ports);
    }
  } catch {
    // The connection ended while it was being set up.
    connection.destroy();
  }
  // Only half of a connection that was answered with a failure is closed: the client may keep its end open.
  using _timer = ports.clock.setTimer(CLOSE_TIMEOUT_MS, () => connection.destroy());
  await closeOf(connection);
}

/** Reports whether a request is for a WebSocket that {@link proxyStream} translates for the runtime, rather than passing it on. */
export function isTranslatedWebSocket(message: Pick<IncomingMessage, 'headers'>, kind: StreamTarget['kind']): boolean {
  if (message.headers.upgrade?.toLowerCase() !== 'websocket') return false;
  const offered = offeredSubprotocols(message);
  return kind === 'portforward' ? offered.some(isTunnel) : offered.includes(V5);
}
