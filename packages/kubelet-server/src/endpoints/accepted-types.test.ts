import { request } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { HttpEndpoint } from '@rxlet/agent-api/http';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../test-support.ts';

/** Header `Accept` of clients. */
const CLIENTS: Readonly<Record<string, string | undefined>> = {
  'net/http of Go': undefined,
  'client-go': 'application/json, */*',
  'client-go with protobuf': 'application/vnd.kubernetes.protobuf,application/json',
  'a client that names JSON': 'application/json',
  curl: '*/*',
  Prometheus:
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
  'a scraper of OpenMetrics': 'application/openmetrics-text; version=1.0.0',
  Telegraf:
    'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7,text/plain;version=0.0.4;q=0.3',
  'a browser': 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
};

const JSON_CLIENTS = ['net/http of Go', 'client-go', 'client-go with protobuf', 'a client that names JSON', 'curl'];
/** Endpoints whose answers are JSON, and that say so. */
const JSON_PATHS = ['/pods', '/runningpods/', '/stats/summary', '/debug/state', '/events'];
/** Endpoints that do not look at the header. */
const OPEN_PATHS = ['/healthz', '/configz', '/metrics', '/metrics/cadvisor', '/metrics/slis'];
/** Endpoints that name no type. As in the kubelet, they need a client that accepts any. */
const UNTYPED_PATHS = ['/containerLogs/a/b/c', '/logs/', '/debug/pprof/cmdline'];

const endpoints: readonly HttpEndpoint[] = [
  { path: 'stats/summary', produces: 'application/json', handle: () => ({ body: '' }) },
  { path: 'metrics/cadvisor', handle: () => ({ body: '' }) },
  { path: 'containerLogs', methods: ['GET'], minSegments: 3, maxSegments: 3, handle: () => ({ body: '' }) },
];

let server: TestServer;
beforeAll(async () => {
  const memory = createMemoryFiles();
  memory.putDirectory('/var/log');
  const nothing = { containers: [], items: [] };
  server = await createTestServer({
    clock: createVirtualClock(),
    endpoints,
    configuration: () => ({}),
    debugState: () => ({}),
    nodeLogs: { hostFiles: memory.hostFiles, directory: '/var/log' },
    runtime: { listContainers: async () => nothing, listPodSandbox: async () => nothing } as never,
  });
  await server.server.start();
});
afterAll(() => server[Symbol.asyncDispose]());

async function statusFor(path: string, accept: string | undefined): Promise<number | undefined> {
  const call = request({
    ...{ socketPath: server.socketPath, path, agent: false },
    headers: accept === undefined ? {} : { accept },
  });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

describe('the header Accept', () => {
  it.each(Object.entries(CLIENTS))('lets %s use what a kubelet lets it use', async (name, accept) => {
    const acceptsAny = accept?.includes('*/*') ?? true;
    const statusesOf = async (paths: readonly string[]) =>
      new Set(await Promise.all(paths.map((path) => statusFor(path, accept))));
    expect([...(await statusesOf(OPEN_PATHS))]).toEqual([200]);
    expect([...(await statusesOf(JSON_PATHS))]).toEqual([acceptsAny || JSON_CLIENTS.includes(name) ? 200 : 406]);
    expect([...(await statusesOf(UNTYPED_PATHS))]).toEqual([acceptsAny ? 200 : 406]);
  });
});
