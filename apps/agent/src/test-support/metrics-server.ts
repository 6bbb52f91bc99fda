import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, get } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@rxlet/component-base';
import type { Node } from '@rxlet/kube-api';
import type { ControlPlane } from '@rxlet/test-containerd/control-plane';
import { parseResourceMetrics, type ResourceSample, type ResourceUsage, usageBetween } from './resource-metrics.ts';

const NAMESPACE = 'kube-system';
const NAME = 'metrics-server';
const GROUP = 'metrics.k8s.io';
const VERSION = 'v1beta1';
const SCRAPE_PERIOD_MS = 2000;

/** Stand-in for metrics-server: it scrapes `/metrics/resource` of all nodes with a token of its own, and serves the API that `kubectl top` uses. Disposing of it ends it. */
export interface MetricsServer extends AsyncDisposable {
  /** Returns the last failure to scrape. */
  failure(): string;
}

/** Starts a {@link MetricsServer} and registers it with the API server. */
export async function startMetricsServer(controlPlane: ControlPlane): Promise<MetricsServer> {
  const { kubectl, apply, issue, caPath } = controlPlane;
  await apply(...accountObjects());
  const token = (await kubectl(['create', 'token', NAME, '--namespace', NAMESPACE])).trim();
  const ca = await readFile(caPath, 'utf8');
  const read = (url: string): Promise<string> => readText(url, ca, token);
  let previous: readonly ResourceSample[] = [];
  let latest: readonly ResourceSample[] = [];
  let failure = '';

  const scrape = async (): Promise<void> => {
    try {
      const { items } = JSON.parse(await read(`${controlPlane.server}/api/v1/nodes`)) as { items: readonly Node[] };
      const samples = await Promise.all(
        items.map(async (node) => parseResourceMetrics(node.metadata?.name ?? '', await read(resourceUrl(node)))),
      );
      [previous, latest] = [latest, samples.flat()];
    } catch (error) {
      failure = String(error);
    }
  };

  const { certificate, key } = await issue(NAME, {
    commonName: NAME,
    hosts: [`${NAME}.${NAMESPACE}.svc`],
    usages: ['server auth'],
  });
  const server = createServer({ cert: await readFile(certificate), key: await readFile(key) }, (request, response) => {
    const answer = answerTo(new URL(request.url ?? '/', 'https://localhost').pathname, usageBetween(previous, latest));
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }));
  });
  await once(server.listen(0), 'listening');
  const { port } = server.address() as AddressInfo;
  await apply(...registration(port, ca));
  const stopped = new AbortController();
  const scraping = (async () => {
    while (!stopped.signal.aborted) {
      await scrape();
      await new Promise<void>((resolve) => systemClock.setTimer(SCRAPE_PERIOD_MS, resolve));
    }
  })();
  return {
    failure: () => failure,
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await scraping;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function resourceUrl({ status }: Node): string {
  const address = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '';
  return `https://${address}:${String(status?.daemonEndpoints?.kubeletEndpoint?.Port)}/metrics/resource`;
}

async function readText(url: string, ca: string, token: string): Promise<string> {
  const call = get(url, { ca, headers: { authorization: `Bearer ${token}` }, agent: false });
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk as string;
  if (response.statusCode !== 200) throw new Error(`${url} answered ${String(response.statusCode)}: ${body}`);
  return body;
}

/** Returns the answer of the API to a path; `undefined` for an unknown one. */
function answerTo(path: string, usages: readonly ResourceUsage[]): object | undefined {
  const [, apis, group, version, ...rest] = path.split('/');
  if (apis !== 'apis' || group !== GROUP || version !== VERSION) return undefined;
  const [collection, namespace, pods] = rest;
  if (rest.length === 0) return resourceList();
  if (collection === 'nodes') return listOf('NodeMetrics', usages.filter(({ pod }) => pod === '').map(nodeMetrics));
  const ofPods = usages.filter(({ pod }) => pod !== '');
  if (collection === 'pods') return listOf('PodMetrics', podMetrics(ofPods));
  if (collection !== 'namespaces' || pods !== 'pods') return undefined;
  return listOf('PodMetrics', podMetrics(ofPods.filter((usage) => usage.namespace === namespace)));
}

function resourceList(): object {
  const resource = (name: string, kind: string, namespaced: boolean) => ({
    name,
    kind,
    namespaced,
    singularName: '',
    verbs: ['get', 'list'],
  });
  const resources = [resource('nodes', 'NodeMetrics', false), resource('pods', 'PodMetrics', true)];
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${GROUP}/${VERSION}`, resources };
}

function listOf(kind: string, items: readonly object[]): object {
  return { kind: `${kind}List`, apiVersion: `${GROUP}/${VERSION}`, metadata: {}, items };
}

function usageOf({ cpuNanoCores, memoryBytes }: ResourceUsage): object {
  return { cpu: `${String(cpuNanoCores)}n`, memory: `${String(Math.trunc(memoryBytes / 1024))}Ki` };
}

function nodeMetrics(usage: ResourceUsage): object {
  const { node, timeMs, windowMs } = usage;
  return { metadata: { name: node }, ...timesOf(timeMs, windowMs), usage: usageOf(usage) };
}

function podMetrics(usages: readonly ResourceUsage[]): readonly object[] {
  const pods = Map.groupBy(usages, ({ namespace, pod }) => `${namespace}/${pod}`);
  return [...pods.values()].map((containers) => {
    const { namespace, pod, timeMs, windowMs } = containers[0]!;
    return {
      metadata: { name: pod, namespace },
      ...timesOf(timeMs, windowMs),
      containers: containers.map((usage) => ({ name: usage.container, usage: usageOf(usage) })),
    };
  });
}

function timesOf(timeMs: number, windowMs: number): object {
  return { timestamp: new Date(timeMs).toISOString(), window: `${String(windowMs / 1000)}s` };
}

/** The service account, with the permissions that metrics-server has. */
function accountObjects(): readonly object[] {
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' };
  const metadata = { name: 'system:metrics-server' };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace: NAMESPACE } },
    {
      ...rbac,
      kind: 'ClusterRole',
      metadata,
      rules: [
        { apiGroups: [''], resources: ['nodes/metrics'], verbs: ['get'] },
        { apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] },
      ],
    },
    {
      ...rbac,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE }],
    },
  ];
}

/** The API, served on a port of this machine. */
function registration(port: number, ca: string): readonly object[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: NAME, namespace: NAMESPACE },
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `${VERSION}.${GROUP}` },
      spec: {
        group: GROUP,
        version: VERSION,
        groupPriorityMinimum: 100,
        versionPriority: 100,
        service: { name: NAME, namespace: NAMESPACE, port },
        caBundle: Buffer.from(ca).toString('base64'),
      },
    },
  ];
}
