import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@rxlet/component-base';
import { createFakeKube, nodeUser, serveFakeKube } from '@rxlet/fake-kube';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type AgentFolders, makeAgentFolders, startAgent } from './test-support/agent-process.ts';
import { freePort } from './test-support/free-port.ts';
import { type ReceivedSpan, startOtlpReceiver } from './test-support/otlp-receiver.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-tracing-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** Runs an agent until its pod runs, and ends it. @returns its output */
async function runPod(folders: AgentFolders): Promise<string> {
  const containers = ['one', 'two'].map((name) => ({ name, image: `registry.example/${name}:1` }));
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } };
  await writeFile(join(folders.manifests, 'web.json'), JSON.stringify(pod));
  await using agent = startAgent(folders, '--fake-runtime');
  const isRunning = async (): Promise<boolean> => (await agent.pods())[0]?.status?.phase === 'Running';
  await eventually('the pod runs', isRunning, agent.output);
  expect(await agent.end('SIGTERM')).toBe(0);
  return agent.output();
}

/** Returns the names of the spans around a span, from the root on, and its own. */
function pathOf(span: ReceivedSpan, spans: readonly ReceivedSpan[]): readonly string[] {
  if (span.parentId === '') return [span.name];
  const parent = spans.find(({ id, traceId }) => id === span.parentId && traceId === span.traceId);
  if (parent === undefined) throw new Error(`the span ${span.name} has no parent`);
  return [...pathOf(parent, spans), span.name];
}

it('sends a trace of the start of a pod that is complete and nested', async () => {
  using receiver = await startOtlpReceiver();
  const tracing = { endpoint: receiver.endpoint, samplingRatePerMillion: 1_000_000 };
  await runPod(await makeAgentFolders(folder, { tracing }));
  const { spans } = receiver;
  const trace = spans.filter(({ traceId }) => {
    const root = spans.find((span) => span.traceId === traceId && span.parentId === '');
    return root?.name === 'syncPod' && spans.some((span) => span.traceId === traceId && span.name === 'sandbox.create');
  });
  const paths = trace.map((span) => pathOf(span, trace));
  const service = (call: string): string => `runtime.v1.${call}`;
  expect(paths).toEqual(
    expect.arrayContaining([
      ['syncPod'],
      ['syncPod', 'sandbox.create'],
      ['syncPod', 'sandbox.create', service('RuntimeService/RunPodSandbox')],
    ]),
  );
  const ends = (name: string): readonly ReceivedSpan[] => trace.filter((span) => span.name === name);
  for (const call of ['ImageService/PullImage', 'RuntimeService/CreateContainer', 'RuntimeService/StartContainer']) {
    const calls = ends(service(call));
    expect([call, calls.length]).toEqual([call, 2]);
    for (const span of calls) expect(pathOf(span, trace)[0]).toBe('syncPod');
  }
  const containers = ends(service('RuntimeService/StartContainer')).map(
    (span) => span.attributes['k8s.container.name'],
  );
  expect(containers.sort()).toEqual(['one', 'two']);
  for (const { startMs, endMs, parentId, attributes, resource } of trace) {
    const parent = trace.find(({ id }) => id === parentId);
    expect(endMs).toBeGreaterThanOrEqual(startMs);
    if (parent !== undefined) {
      expect(startMs).toBeGreaterThanOrEqual(parent.startMs - CLOCK_SKEW_MS);
      expect(endMs).toBeLessThanOrEqual(parent.endMs + CLOCK_SKEW_MS);
    }
    expect(attributes).toMatchObject({
      'k8s.pod': 'default/web-node1',
      'k8s.pod.name': 'web-node1',
      'k8s.namespace.name': 'default',
      'k8s.pod.uid': expect.stringMatching(/./) as string,
    });
    expect(resource).toMatchObject({ 'service.name': 'kubelet', 'host.name': 'node1' });
  }
});

/** The journal has whole milliseconds, calls have parts of them. */
const CLOCK_SKEW_MS = 2;

it('sends spans of the requests to its server, and of those to the API server', async () => {
  using receiver = await startOtlpReceiver();
  await using kube = createFakeKube({ clock: systemClock, random: systemRandom }, { authorization: 'node' });
  await using server = await serveFakeKube(kube);
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, await server.kubeconfig(nodeUser('node1')), { mode: 0o600 });
  const readOnlyPort = await freePort();
  const folders = await makeAgentFolders(folder, {
    tracing: { endpoint: receiver.endpoint, samplingRatePerMillion: 1_000_000 },
    ...{ enableServer: true, address: '127.0.0.1', port: await freePort(), readOnlyPort, healthzPort: 0 },
  });
  await using agent = startAgent(folders, '--fake-runtime', '--kubeconfig', kubeconfig);
  const get = (path: string): Promise<number> =>
    fetch(`http://127.0.0.1:${String(readOnlyPort)}${path}`).then(
      ({ status }) => status,
      () => 0,
    );
  await eventually('the server answers', async () => (await get('/pods?secret')) === 200, agent.output);
  expect(await get('/unknown')).toBe(404);
  await eventually(
    'the node exists',
    async () => kube.objects.get({ group: '', plural: 'nodes' }, 'node1') !== undefined,
    agent.output,
  );
  expect(await agent.end('SIGTERM')).toBe(0);

  const withRoute = receiver.spans.filter(({ attributes }) => attributes['http.route'] !== undefined);
  // Before the agent has its pods, the server may answer with 503.
  const answered = withRoute.filter(({ attributes }) => attributes['http.response.status_code'] !== 503);
  expect(answered.map(({ name, parentId, attributes }) => ({ name, parentId, ...attributes }))).toEqual([
    {
      ...{ name: '/pods', parentId: '' },
      ...{ 'http.request.method': 'GET', 'http.route': '/pods', 'http.response.status_code': 200 },
    },
  ]);
  expect(receiver.spans.filter(({ name }) => name === 'HTTP POST')).toContainEqual(
    expect.objectContaining({ attributes: expect.objectContaining({ 'http.response.status_code': 201 }) as unknown }),
  );
});

it('reports a collector that cannot be reached, and runs pods', async () => {
  const tracing = { endpoint: '127.0.0.1:1', samplingRatePerMillion: 1_000_000 };
  const output = await runPod(await makeAgentFolders(folder, { tracing }));
  expect(output).toMatch(/^W.* tracing:1\] "cannot send traces" err=.* endpoint="127\.0\.0\.1:1"$/m);
});

it('sends no traces without a sampling rate', async () => {
  using receiver = await startOtlpReceiver();
  await runPod(await makeAgentFolders(folder, { tracing: { endpoint: receiver.endpoint } }));
  expect(receiver.spans).toEqual([]);
});

/** Packages of OpenTelemetry that a traced agent loads, beside its API: prom-client loads that as well. */
const SDK = ['core', 'otlp-transformer', 'resources', 'sdk-metrics', 'sdk-trace', 'semantic-conventions'];

it.each([
  [undefined, []],
  [{ endpoint: '127.0.0.1:1', samplingRatePerMillion: 1_000_000 }, SDK],
])('with tracing %j loads of the SDK: %j', async (tracing, loaded) => {
  const record = join(folder, 'modules');
  const preload = join(folder, 'preload.mjs');
  await writeFile(
    preload,
    `import { appendFileSync } from 'node:fs';
     import { registerHooks } from 'node:module';
     registerHooks({
       load(url, context, next) {
         appendFileSync(${JSON.stringify(record)}, url + '\\n');
         return next(url, context);
       },
     });`,
  );
  vi.stubEnv('NODE_OPTIONS', `--import=${preload}`);
  await runPod(await makeAgentFolders(folder, tracing && { tracing }));
  const packages = (await readFile(record, 'utf8')).matchAll(/@opentelemetry\/(?!api\/)([^/]*)\//g);
  expect([...new Set([...packages].map(([, name]) => name))].sort()).toEqual(loaded);
});
