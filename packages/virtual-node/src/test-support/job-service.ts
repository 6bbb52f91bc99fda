import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { errorMessage } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import type { PodProvider } from '../pod-provider.ts';

/** A service that runs pods, over HTTP. */
export interface JobService extends AsyncDisposable {
  readonly url: string;
  /** Cuts all connections, and answers no request, until the returned function is called. */
  cut(): () => void;
}

/** Serves the pods of a provider by the API of `createHttpProvider`. */
export async function startJobService(jobs: PodProvider): Promise<JobService> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((request, response) => {
    void answer(jobs, request, response).catch((error: unknown) => {
      const reason = (error as { reason?: unknown }).reason;
      const status = reason === 'NotFound' ? 404 : reason === 'Rejected' ? 422 : 500;
      if (!response.headersSent) response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ reason, message: errorMessage(error) }));
    });
  });
  server.on('connection', (socket) => {
    if (isCut) return void socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const destroyAll = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    cut() {
      isCut = true;
      destroyAll();
      return () => void (isCut = false);
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      destroyAll();
      await closed;
    },
  };
}

async function answer(jobs: PodProvider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const controller = new AbortController();
  response.once('close', () => controller.abort(new Error('the client has gone')));
  const { signal } = controller;
  const url = new URL(request.url ?? '/', 'http://service');
  const [, collection, uid, , container] = url.pathname.split('/').map(decodeURIComponent);
  if (collection !== 'pods') return void response.writeHead(404).end('no such page');
  if (container !== undefined) {
    const options = { signal, follow: url.searchParams.get('follow') === 'true', previous: false, timestamps: false };
    const tail = url.searchParams.get('tailLines');
    const reference = { pod: { uid: uid!, name: '', namespace: '' }, container };
    for await (const chunk of jobs.logs!(reference, { ...options, ...(tail && { tailLines: Number(tail) }) }))
      response.write(chunk);
    return void response.end();
  }
  switch (request.method) {
    case 'PUT': {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      await jobs.create(JSON.parse(Buffer.concat(chunks).toString()) as Pod, { signal });
      return void response.writeHead(201).end();
    }
    case 'DELETE': {
      const gracePeriodSeconds = Number(url.searchParams.get('gracePeriodSeconds'));
      await jobs.delete({ uid: uid!, name: '', namespace: '' }, { signal, gracePeriodSeconds });
      return void response.writeHead(202).end();
    }
    default:
      for await (const change of jobs.watch(signal)) response.write(`${JSON.stringify(change)}\n`);
      response.end();
  }
}
