import { contributionsTo } from '@rxlet/agent-api/testing';
import { once } from 'node:events';
import { type IncomingMessage, get } from 'node:http';
import { createServer } from 'node:net';
import { healthChecks, type ModuleContext, type ModuleParts } from '@rxlet/agent-api';
import { nodeStatusSetters } from '@rxlet/agent-api/node';
import { seededRandom, systemClock } from '@rxlet/component-base';
import { recordingLogger, recordingMetrics } from '@rxlet/component-base/testing';
import { createCurrentValue } from '@rxlet/component-base/streams';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { EMPTY } from 'rxjs';
import { expect, it } from 'vitest';
import { kubeletApi } from './kubelet-api-module.ts';
import type { KubeletApiOptions } from './kubelet-api-options.ts';

const options: KubeletApiOptions = {
  address: '127.0.0.1',
  port: 0,
  readOnlyPort: 0,
  healthzBindAddress: '127.0.0.1',
  healthzPort: 0,
  tls: {},
  authentication: { x509: {}, webhook: { enabled: false, cacheTtlMs: 1 }, anonymous: { enabled: false } },
  authorization: { mode: 'AlwaysAllow', webhook: { cacheAuthorizedTtlMs: 1, cacheUnauthorizedTtlMs: 1 } },
  isFineGrained: true,
  switches: {},
  content: { metrics: () => Promise.resolve({ contentType: 'text/plain', text: '' }) },
};

function setUp(
  given: Partial<KubeletApiOptions>,
  metrics = recordingMetrics(),
  logger = recordingLogger(),
): ModuleParts {
  const context = {
    clock: systemClock,
    random: seededRandom(1),
    logger,
    metrics,
    node: { name: 'node1', rootDirectory: '/root' },
    hostFiles: createMemoryFiles().hostFiles,
    services: { find: () => undefined, get: () => createCurrentValue(undefined) },
    collections: { of: (key: unknown) => (key === healthChecks ? [{ name: 'ping', check: () => undefined }] : []) },
    core: {
      pods: { list: () => [], changes$: EMPTY },
      events: { list: () => [], events$: EMPTY },
      sourcesReady: () => true,
      debugState: () => ({}),
    },
  } as unknown as ModuleContext;
  return kubeletApi({ ...options, ...given }).setup(context)!;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function requestPath(port: number, path: string): Promise<string> {
  const [response] = (await once(get({ port, path, agent: false }), 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk as string;
  return `${String(response.statusCode)} ${body}`;
}

it('needs an API server to review tokens and permissions', () => {
  const { authentication, authorization } = options;
  const message = 'cannot be reviewed without an API server';
  const webhook = { enabled: true, cacheTtlMs: 1 };
  expect(() => setUp({ authentication: { ...authentication, webhook } })).toThrow(message);
  expect(() => setUp({ authorization: { ...authorization, mode: 'Webhook' } })).toThrow(message);
});

it('opens the ports of the configuration, and closes them', async () => {
  const [readOnlyPort, healthzPort] = [await freePort(), await freePort()];
  const parts = setUp({ readOnlyPort, healthzPort });
  expect(contributionsTo(parts, nodeStatusSetters)[0]?.contribute({}).declaredFeatures).toEqual([
    'ExtendWebSocketsToKubelet',
  ]);
  await parts.start!(new AbortController().signal);
  expect(await requestPath(readOnlyPort, '/pods')).toContain('200 {"kind":"PodList"');
  expect(await requestPath(readOnlyPort, '/exec/a/b/c')).toBe('405 Debug endpoints are disabled.\n');
  expect(await requestPath(readOnlyPort, '/configz')).toBe('404 404 page not found\n');
  expect(await requestPath(healthzPort, '/healthz')).toBe('200 ok');
  expect(await requestPath(healthzPort, '/pods')).toBe('404 404 page not found\n');
  await parts[Symbol.asyncDispose]!();
  await expect(requestPath(healthzPort, '/healthz')).rejects.toThrow('ECONNREFUSED');
});

it('serves the plain ports without a certificate when it has no port for HTTPS', async () => {
  const readOnlyPort = await freePort();
  const webhook = { enabled: true, cacheTtlMs: 1 };
  const given = { port: undefined, readOnlyPort, authentication: { ...options.authentication, webhook } };
  expect(kubeletApi({ ...options, ...given }).needs).toEqual([]);
  const parts = setUp(given);
  await parts.start!(new AbortController().signal);
  expect(await requestPath(readOnlyPort, '/pods')).toContain('200 {"kind":"PodList"');
  await parts[Symbol.asyncDispose]!();
});

it('measures the requests to the read-only port, and not those of health checks', async () => {
  const [readOnlyPort, healthzPort] = [await freePort(), await freePort()];
  const metrics = recordingMetrics();
  const parts = setUp({ readOnlyPort, healthzPort }, metrics);
  await parts.start!(new AbortController().signal);
  await requestPath(readOnlyPort, '/pods');
  await requestPath(readOnlyPort, '/nothing/here?at=all');
  await requestPath(healthzPort, '/healthz');
  const series = (path: string) => `{long_running="false",method="GET",path="${path}",server_type="readonly"}`;
  expect([...metrics.values]).toEqual([
    [`kubelet_http_requests_total${series('pods')}`, 1],
    [`kubelet_http_inflight_requests${series('pods')}`, 0],
    [`kubelet_http_requests_total${series('other')}`, 1],
    [`kubelet_http_inflight_requests${series('other')}`, 0],
  ]);
  expect(metrics.observed(`kubelet_http_requests_duration_seconds${series('pods')}`)).toHaveLength(1);
  await parts[Symbol.asyncDispose]!();
});

it.each([
  ['port', 'port (--port)'],
  ['readOnlyPort', 'readOnlyPort (--read-only-port)'],
])('fails to start when its %s is taken, and names the setting', async (field, setting) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const parts = setUp({ port: undefined, [field]: port });
  await expect(parts.start!(new AbortController().signal)).rejects.toThrow(
    `cannot listen on 127.0.0.1 port ${String(port)}: listen EADDRINUSE: address already in use 127.0.0.1:${String(port)}; ` +
      `choose another with ${setting} or address (--address)`,
  );
  await parts[Symbol.asyncDispose]!();
  await new Promise((resolve) => taken.close(resolve));
});

it('logs each port that it opens, and the settings that open one to everybody', async () => {
  const [port, readOnlyPort, healthzPort] = [await freePort(), await freePort(), await freePort()];
  const logger = recordingLogger();
  const authentication = { ...options.authentication, anonymous: { enabled: true } };
  const parts = setUp({ port, readOnlyPort, healthzPort, authentication }, recordingMetrics(), logger);
  await parts.start!(new AbortController().signal);
  expect(logger.lines.map(({ level, message, fields }) => `${level} ${message} ${String(fields?.['port'])}`)).toEqual([
    'warn serving the kubelet API to everybody: authentication.anonymous.enabled is true and authorization.mode is ' +
      `AlwaysAllow ${String(port)}`,
    `info serving a read-only API without authentication ${String(readOnlyPort)}`,
    `info serving the health of the agent ${String(healthzPort)}`,
  ]);
  await parts[Symbol.asyncDispose]!();
});
