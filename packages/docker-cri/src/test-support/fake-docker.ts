import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '@rxlet/component-base';
import { createDockerEngine, type DockerEngine } from '../engine/docker-engine.ts';

/** An answer: a status and a JSON body, or a function that writes one. */
export type Answer = readonly [status: number, body: unknown] | ((response: ServerResponse) => void);

/** A server that answers as a test decides, in the place of Docker. */
export interface FakeDocker extends AsyncDisposable {
  readonly engine: DockerEngine;
  /** Requests after the negotiation of the version, as `METHOD /path?query`. */
  readonly requests: readonly string[];
  /** Headers of the last request. */
  headers(): IncomingMessage['headers'];
}

/** Serves `answer(request)`, where the request is `METHOD /path` without the version and the query. */
export async function createFakeDocker(
  answer: (request: string) => Answer,
  clock: Clock = systemClock,
): Promise<FakeDocker> {
  const folder = await mkdtemp(join(tmpdir(), 'docker-'));
  const requests: string[] = [];
  let headers: IncomingMessage['headers'] = {};
  const server = createServer((request, response) => {
    if (request.url === '/version') {
      response.end(JSON.stringify({ Version: '20.10', ApiVersion: '1.41', MinAPIVersion: '1.12' }));
      return;
    }
    request.resume();
    headers = request.headers;
    const url = request.url!.replace('/v1.41', '');
    requests.push(`${request.method!} ${url}`);
    const answered = answer(`${request.method!} ${url.replace(/\?.*/, '')}`);
    if (typeof answered === 'function') answered(response);
    else response.writeHead(answered[0]).end(JSON.stringify(answered[1]));
  });
  server.listen(join(folder, 'docker.sock'));
  await once(server, 'listening');
  const engine = createDockerEngine(join(folder, 'docker.sock'), clock);
  return {
    engine,
    requests,
    headers: () => headers,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}
