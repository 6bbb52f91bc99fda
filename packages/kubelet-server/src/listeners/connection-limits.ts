import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Logger } from '@rxlet/component-base';
import { createRareLog } from '../rare-log.ts';
import { addressGroup } from './address-group.ts';

/** Bounds of a server. */
export interface ConnectionLimits {
  /** Requests that are served at the same time. A further one is answered with status 503. */
  readonly maxRequests: number;
  /** Of these, requests from one address. Default: all. */
  readonly maxRequestsPerAddress?: number | undefined;
  /** Connections without a request: those in their handshake, or before, within or after the head of a request. For a further one, the longest idle one is closed. */
  readonly maxIdle: number;
  /** Of these, connections from one address. Default: all. */
  readonly maxIdlePerAddress?: number | undefined;
}

/** Decides which requests and connections a server keeps. */
export interface ConnectionGuard {
  /** Admits a request on a connection of the server until the returned function is called; `undefined`: it is one too many. */
  admit(socket: Socket): (() => void) | undefined;
}

interface Connection {
  socket: Socket;
  readonly group: string;
  requests: number;
}

/**
 * Guards the connections of `server`. A connection costs its place only while it carries a request: clients that connect and send nothing, or that send slowly, push out each
 * other, those of the address with the most of them first, and never a request that is served.
 */
export function guardConnections(
  server: Server,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  limits: ConnectionLimits,
): ConnectionGuard {
  const { maxRequests, maxRequestsPerAddress = Infinity, maxIdle, maxIdlePerAddress = Infinity } = limits;
  /** By the socket of the network, and by that of TLS. */
  const bySocket = new WeakMap<Socket, Connection>();
  /** By the other end of the connection, in which the two sockets agree. */
  const byPeer = new Map<string, Connection>();
  /** Idle connections by the group of their address, the longest idle ones first. */
  const idle = new Map<string, Set<Connection>>();
  const requestsOf = new Map<string, number>();
  let idleCount = 0;
  let requestCount = 0;
  const rejections = createRareLog(clock, (fields) =>
    logger.warn('rejected requests: too many are being served', { maxRequests, ...fields }),
  );
  const evictions = createRareLog(clock, (fields) =>
    logger.warn('closed connections without requests: too many are open', fields),
  );

  const setIdle = (connection: Connection): void => {
    const same = idle.get(connection.group) ?? new Set();
    idle.set(connection.group, same);
    if (same.has(connection)) return;
    same.add(connection);
    idleCount += 1;
    if (connection.group !== '' && same.size > maxIdlePerAddress) closeFirst(same);
    else if (idleCount > maxIdle) closeFirst(largest());
  };
  const unsetIdle = (connection: Connection): void => {
    const same = idle.get(connection.group);
    if (same?.delete(connection) !== true) return;
    idleCount -= 1;
    if (same.size === 0) idle.delete(connection.group);
  };
  const largest = (): Set<Connection> => {
    let found = new Set<Connection>();
    for (const same of idle.values()) if (same.size > found.size) found = same;
    return found;
  };
  const closeFirst = ([connection]: ReadonlySet<Connection>): void => {
    if (connection === undefined) return;
    unsetIdle(connection);
    evictions.count({ address: connection.group });
    connection.socket.destroy();
  };

  server.on('connection', (socket: Socket) => {
    const connection: Connection = { socket, group: addressGroup(socket.remoteAddress), requests: 0 };
    const peer = peerOf(socket);
    bySocket.set(socket, connection);
    if (peer !== undefined) byPeer.set(peer, connection);
    socket.once('close', () => {
      unsetIdle(connection);
      if (peer !== undefined && byPeer.get(peer) === connection) byPeer.delete(peer);
    });
    setIdle(connection);
  });
  server.on('secureConnection', (socket: Socket) => {
    const connection = byPeer.get(peerOf(socket) ?? '');
    if (connection === undefined) return;
    connection.socket = socket;
    bySocket.set(socket, connection);
  });

  return {
    admit(socket) {
      const connection = bySocket.get(socket);
      const group = connection?.group ?? '';
      const ofGroup = requestsOf.get(group) ?? 0;
      if (requestCount >= maxRequests || (group !== '' && ofGroup >= maxRequestsPerAddress)) {
        rejections.count({ address: group });
        return undefined;
      }
      requestCount += 1;
      requestsOf.set(group, ofGroup + 1);
      if (connection !== undefined) {
        connection.requests += 1;
        unsetIdle(connection);
      }
      let isServed = true;
      return () => {
        if (!isServed) return;
        isServed = false;
        requestCount -= 1;
        const rest = requestsOf.get(group)! - 1;
        if (rest === 0) requestsOf.delete(group);
        else requestsOf.set(group, rest);
        if (connection === undefined) return;
        connection.requests -= 1;
        if (connection.requests === 0 && !connection.socket.destroyed) setIdle(connection);
      };
    },
  };
}

function peerOf({ remoteAddress, remotePort }: Socket): string | undefined {
  return remoteAddress === undefined || remotePort === undefined ? undefined : `${remoteAddress} ${String(remotePort)}`;
}
