import { requestUpgrade, type UpgradedConnection } from '../client/request-upgrade.ts';
import { joinConnections } from '../join-connections.ts';
import { acceptWebSocket } from '../websocket/accept-websocket.ts';
import { isTunnel, TUNNEL_PREFIX } from '../websocket/channels.ts';
import { endOf } from './pass-through.ts';
import { offeredSubprotocols } from '../websocket/offered-subprotocols.ts';
import { createTunnelStream } from '../websocket/tunnel-stream.ts';
import { answerFailure } from './relay-answer.ts';
import type { ProxyPorts, StreamTarget, UpgradeRequest } from './upgrade.ts';

/** Unwraps SPDY from the binary messages of a WebSocket. The client's protocols are offered to the runtime without their prefix, and it chooses. */
export async function tunnelPortForward(
  { message, connection, head }: UpgradeRequest,
  { url }: StreamTarget,
  ports: ProxyPorts,
): Promise<void> {
  const protocols = offeredSubprotocols(message)
    .filter(isTunnel)
    .map((name) => name.slice(TUNNEL_PREFIX.length));
  let upgraded: UpgradedConnection;
  try {
    upgraded = await requestUpgrade(
      {
        url,
        method: 'POST',
        headers: [
          ...['Host', new URL(url).host, 'Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', 'Content-Length', '0'],
          ...protocols.flatMap((name) => ['X-Stream-Protocol-Version', name]),
        ],
        isBulk: true,
      },
      { ...ports, signal: endOf(connection, ports.signal) },
    );
  } catch (error) {
    await answerFailure(connection, ports.clock, error);
    return;
  }
  const { answer, connection: runtime, reads } = upgraded;
  const chosen = String(answer.headers['x-stream-protocol-version'] ?? '').trim();
  const joined = Promise.withResolvers<void>();
  const isOpen = acceptWebSocket(message, connection, head, TUNNEL_PREFIX + chosen, (webSocket) => {
    const tunnel = createTunnelStream(webSocket, connection);
    joinConnections(tunnel, runtime, ports, reads).then(joined.resolve, joined.reject);
  });
  if (!isOpen) {
    runtime.destroy();
    return;
  }
  await joined.promise;
}
