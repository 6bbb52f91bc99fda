import { connect as connectTcp } from 'node:net';
import { onAbort } from '@rxlet/component-base';
import { nodeHttp } from '@rxlet/component-base/http';
import { connectGrpc } from './node-grpc.ts';
import type { ProbeNetwork } from './probe-network.ts';
import { closeNow, dialError } from './sockets.ts';

/** The {@link ProbeNetwork} on real sockets. */
export const nodeNetwork: ProbeNetwork = { http: nodeHttp, dial, connectGrpc };

function dial(hostname: string, port: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connectTcp({ host: hostname, port });
    const end = (settle: () => void): void => {
      listener[Symbol.dispose]();
      closeNow(socket);
      settle();
    };
    const listener = onAbort(signal, (reason) => end(() => reject(reason)));
    socket.on('connect', () => end(resolve));
    socket.on('error', (error) => end(() => reject(dialError(error, hostname, port))));
  });
}
