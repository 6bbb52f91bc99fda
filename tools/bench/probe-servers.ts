/** Servers that the probes of the benchmark reach, in a thread of their own so that they are not measured. Sends their ports to the parent. */
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { parentPort } from 'node:worker_threads';

const serving = Buffer.from([0, 0, 0, 0, 2, 8, 1]);

async function listen(server: Server): Promise<number> {
  server.on('connection', (socket: NodeJS.EventEmitter) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1000, resolve));
  return (server.address() as AddressInfo).port;
}

const grpc = createHttp2Server();
grpc.on('stream', (stream) => {
  stream.on('error', () => undefined);
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.resume().end(serving);
});

parentPort?.postMessage({
  httpGet: await listen(createHttpServer((_request, reply) => reply.end('ok'))),
  tcpSocket: await listen(createTcpServer((socket) => socket.resume())),
  grpc: await listen(grpc),
});
