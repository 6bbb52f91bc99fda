import { createServer } from 'node:http';
import { mkdtempDisposable } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { createLifetime, noopLogger } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger, type RecordingLogger } from '@rxlet/component-base/testing';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { createHostFiles } from '@rxlet/node-files';
import { EMPTY } from 'rxjs';
import { createAccessControl } from '../../access/access-control.ts';
import { kubeletRoutes } from '../../endpoints/kubelet-routes.ts';
import { createListener } from '../../listeners/serve.ts';
import type { KubeletServerPorts, ServerRuntime } from '../../ports.ts';
import type { Route } from '../../routing/route.ts';

/** Text that no client without permission may see: it is in every answer that needs one. */
export const SECRET = 'TOP-SECRET';

/** A server with all endpoints. Tokens: `admin` may do everything, `weak` nothing. */
export interface GuardedServer extends AsyncDisposable {
  readonly routes: readonly Route[];
  readonly logger: RecordingLogger;
  /** Folder of `/logs/`. */
  readonly logsFolder: string;
  /** Folder around it. */
  readonly folder: string;
  /** Calls of the runtime. */
  readonly calls: string[];
  /** Sends bytes on a connection of its own and returns all that comes back until it is closed. */
  send(bytes: string | Uint8Array): Promise<string>;
  /** Likewise, but ends the connection after the bytes, so that incomplete requests have an end. */
  sendAll(bytes: string | Uint8Array): Promise<string>;
}

/** Starts a {@link GuardedServer}. */
export async function startGuardedServer(): Promise<GuardedServer> {
  const lifetime = createLifetime();
  const folder = await mkdtempDisposable(join(tmpdir(), 'guarded-'));
  lifetime.defer(() => folder.remove());
  const logger = recordingLogger();
  const calls: string[] = [];
  const logsFolder = join(folder.path, 'log');
  const ports = guardedPorts(logsFolder, calls);
  const routes = kubeletRoutes(ports, ports.healthChecks, { enableSystemLogQuery: true });
  const tokens = {
    authenticate: (token: string) =>
      Promise.resolve(['admin', 'weak'].includes(token) ? { name: token, groups: [], extra: {} } : undefined),
  };
  const authorizer = { isAllowed: ({ name }: { name: string }) => Promise.resolve(name === 'admin') };
  const access = createAccessControl(
    { tokens, authorizer, clock: ports.clock, logger: noopLogger },
    { anonymous: false, isFineGrained: true },
  );
  const socketPath = join(folder.path, 's');
  const listener = createListener(
    { clock: ports.clock, logger },
    { routes, access },
    { maxRequests: 1000, maxIdle: 1000 },
    createServer,
    async (server) => {
      await once(server.listen(socketPath), 'listening');
    },
  );
  lifetime.defer(async () => listener[Symbol.asyncDispose]());
  await listener.start();
  return {
    routes,
    logger,
    logsFolder,
    folder: folder.path,
    calls,
    send: (bytes) => exchange(socketPath, (socket) => socket.write(bytes)),
    sendAll: (bytes) => exchange(socketPath, (socket) => socket.end(bytes)),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

async function exchange(socketPath: string, send: (socket: Socket) => void): Promise<string> {
  const socket = connect(socketPath);
  socket.on('error', () => undefined);
  send(socket);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    // A connection that the server has reset is an answer, too.
  }
  return Buffer.concat(chunks).toString('latin1');
}

function guardedPorts(logsFolder: string, calls: string[]): KubeletServerPorts {
  const clock = createVirtualClock();
  const pod = {
    metadata: { name: 'web', namespace: 'default', uid: 'u', annotations: { SECRET } },
    spec: { containers: [{ name: 'main' }] },
  };
  const record = (name: string) => async () => {
    calls.push(name);
    throw new ServiceError(StatusCode.Unavailable, SECRET);
  };
  const runtime = {
    listContainers: async () => (
      calls.push('listContainers'),
      { containers: [{ id: SECRET, labels: {}, createdAt: 0n }] }
    ),
    listPodSandbox: async () => (calls.push('listPodSandbox'), { items: [{ id: SECRET, labels: {}, createdAt: 0n }] }),
    ...Object.fromEntries(
      ['exec', 'attach', 'portForward', 'execSync', 'checkpointContainer'].map((name) => [name, record(name)]),
    ),
  } as unknown as ServerRuntime;
  return {
    clock,
    pods: { list: () => [pod], changes$: EMPTY },
    events: { list: () => [], events$: EMPTY },
    healthChecks: [{ name: 'ping', check: () => SECRET }],
    metrics: () => Promise.resolve({ contentType: 'text/plain', text: SECRET }),
    endpoints: [
      { path: 'containerLogs', methods: ['GET'], minSegments: 3, maxSegments: 3, handle: () => ({ body: SECRET }) },
      { path: 'stats/summary', handle: () => ({ body: SECRET }) },
      { path: 'metrics/cadvisor', handle: () => ({ body: SECRET }) },
    ],
    runtime,
    nodeLogs: { hostFiles: createHostFiles(), directory: logsFolder },
    checkpointDirectory: '/checkpoints',
    configuration: () => ({ SECRET }),
    flags: () => ({ SECRET: 'x' }),
    setVerbosity: () => calls.push('setVerbosity'),
    version: SECRET,
  };
}
