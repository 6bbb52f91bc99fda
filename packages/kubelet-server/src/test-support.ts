import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PodChange } from '@rxlet/agent-api';
import type { EndpointRequest, HttpEndpoint } from '@rxlet/agent-api/http';
import { createEventLog, type EventLog } from '@rxlet/component-base/events';
import {
  createTestStream,
  createVirtualClock,
  recordingLogger,
  type RecordingLogger,
  type TestStream,
  type VirtualClock,
} from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { createKubeletServer, type KubeletServer, type KubeletServerOptions } from './create-kubelet-server.ts';
import type { KubeletServerPorts } from './ports.ts';

/** A server on a socket in a folder of its own, and what stands behind it. Disposing of it removes the folder. */
export interface TestServer extends AsyncDisposable {
  readonly server: KubeletServer;
  readonly folder: string;
  readonly socketPath: string;
  readonly clock: VirtualClock;
  readonly logger: RecordingLogger;
  readonly events: EventLog;
  readonly podChanges: TestStream<PodChange>;
  /** Pods that `/pods` lists. */
  readonly podList: Pod[];
}

/** Creates a {@link TestServer} that does not listen yet. */
export async function createTestServer(
  ports: Partial<KubeletServerPorts> = {},
  options: Partial<KubeletServerOptions> = {},
): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'kubelet-server-'));
  const socketPath = join(folder, 'rxlet.sock');
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const events = createEventLog(clock);
  const podChanges = createTestStream<PodChange>();
  const podList: Pod[] = [];
  const server = createKubeletServer(
    {
      clock,
      logger,
      events,
      pods: { list: () => podList, changes$: podChanges.values$ },
      healthChecks: [],
      metrics: () => Promise.resolve({ contentType: 'text/plain; version=0.0.4', text: '' }),
      ...ports,
    },
    { socketPath, nodeName: 'node1', ...options },
  );
  return {
    server,
    folder,
    socketPath,
    clock,
    logger,
    events,
    podChanges,
    podList,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Sends a request and returns when the head of the answer has arrived. */
export async function open(socketPath: string, path: string, method = 'GET'): Promise<IncomingMessage> {
  const call = request({ socketPath, path, method, agent: false });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return response;
}

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request and reads the answer to its end. Rejects when the answer is aborted. */
export async function requestPath(socketPath: string, path: string, method = 'GET'): Promise<Answer> {
  const response = await open(socketPath, path, method);
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk as string;
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

/** The lines of an answer, one at a time as they come. */
export async function* lines(response: IncomingMessage): AsyncGenerator<string, void> {
  let rest = '';
  for await (const chunk of response.setEncoding('utf8')) {
    const parts = (rest + (chunk as string)).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}

/** An endpoint `/stream` whose answers come from `open`. */
export function streamEndpoint(open: (request: EndpointRequest) => Promise<AsyncIterable<Uint8Array>>): HttpEndpoint {
  return {
    path: 'stream',
    methods: ['GET'],
    maxSegments: 3,
    handle: async (request) => ({ body: await open(request) }),
  };
}
