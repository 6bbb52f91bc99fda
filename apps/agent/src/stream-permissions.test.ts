import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { systemClock, systemRandom } from '@rxlet/component-base';
import {
  admin,
  createFakeKube,
  type FakeKube,
  type FakeKubeServer,
  nodeUser,
  serveFakeKube,
  type UserPermission,
} from '@rxlet/fake-kube';
import type { Node, Pod } from '@rxlet/kube-api';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from './test-support/free-port.ts';
import { type AgentProcess, makeAgentFolders, startAgent } from './test-support/agent-process.ts';

const PERMISSIONS: readonly UserPermission[] = [
  { user: 'reader', verbs: ['get'], resources: ['nodes/proxy'] },
  { user: 'operator', verbs: ['create'], resources: ['nodes/proxy'] },
];
const WEBSOCKET = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  'sec-websocket-protocol': 'v5.channel.k8s.io',
};
const EXEC = '/exec/default/web/app?command=true&output=1';
const STREAMS = [EXEC, '/attach/default/web/app?output=1'];

type Credentials = Pick<RequestOptions, 'cert' | 'key' | 'ca'>;

/** An agent as a node of a fake cluster, whose kubelet API reviews its clients. */
class TestNode implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  #kube!: FakeKube;
  #server!: FakeKubeServer;
  #port = 0;

  static async start(...flags: readonly string[]): Promise<TestNode> {
    const node = new TestNode();
    await node.#start(flags);
    return node;
  }

  async #start(flags: readonly string[]): Promise<void> {
    const stack = this.#stack;
    const folder = await mkdtemp(join(tmpdir(), 'rxlet-permissions-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const ports = { clock: systemClock, random: systemRandom };
    const kube = stack.use(createFakeKube(ports, { authorization: 'node', permissions: PERMISSIONS }));
    this.#kube = kube;
    this.#server = stack.use(await serveFakeKube(kube));
    this.#port = await freePort();
    const file = async (name: string, content: string): Promise<string> => {
      await writeFile(join(folder, name), content, { mode: 0o600 });
      return join(folder, name);
    };
    const serving = await (
      await kube.authority()
    ).issue({ commonName: 'node1', hosts: ['127.0.0.1'], usages: ['server auth'] });
    const folders = await makeAgentFolders(folder, {
      enableServer: true,
      address: '127.0.0.1',
      port: this.#port,
      healthzPort: 0,
      tlsCertFile: await file('serving.crt', serving.certificatePem),
      tlsPrivateKeyFile: await file('serving.key', serving.keyPem),
      authentication: { x509: { clientCAFile: await file('ca.crt', this.#server.caPem) } },
    });
    const kubeconfig = await file('kubeconfig', await this.#server.kubeconfig(nodeUser('node1')));
    const agent: AgentProcess = stack.use(startAgent(folders, '--fake-runtime', '--kubeconfig', kubeconfig, ...flags));
    const find = (plural: string, name: string, namespace?: string): unknown =>
      kube.objects.get({ group: '', plural }, name, namespace);
    await eventually(
      'the node is ready',
      async () => (find('nodes', 'node1') as Node | undefined)?.status?.conditions?.at(-1)?.status === 'True',
      agent.output,
    );
    kube.objects.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'default' },
      spec: { nodeName: 'node1', containers: [{ name: 'app', image: 'registry.example/app:1' }] },
    });
    await eventually(
      'the pod runs',
      async () => (find('pods', 'web', 'default') as Pod | undefined)?.status?.phase === 'Running',
      agent.output,
    );
  }

  async #credentials(name: string, ...organizations: readonly string[]): Promise<Credentials> {
    const { certificatePem: cert, keyPem: key } = await (
      await this.#kube.authority()
    ).issue({ commonName: name, organizations, usages: ['client auth'] });
    return { cert, key, ca: this.#server.caPem };
  }

  /** Sends a request for a WebSocket to the node itself. @returns the status, and the text of an answer that is no stream */
  async open(user: string, path: string): Promise<string> {
    return open(`https://127.0.0.1:${String(this.#port)}${path}`, await this.#credentials(user));
  }

  /** Sends a request for a WebSocket to the API server, which passes it on to the node. */
  async openByApiServer(path: string): Promise<string> {
    // The agent itself reports no loopback address.
    const status = { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] };
    this.#kube.objects.merge({ group: '', plural: 'nodes' }, 'node1', undefined, { status }, 'status');
    return open(`${this.#server.url}${path}`, await this.#credentials(admin.name, ...admin.groups));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

async function open(url: string, credentials: Credentials): Promise<string> {
  const sent = request(url, { method: 'GET', headers: WEBSOCKET, agent: false, ...credentials });
  sent.end();
  const opened = once(sent, 'upgrade').then((event) => {
    const [{ statusCode }, socket] = event as [IncomingMessage, Duplex];
    socket.destroy();
    return String(statusCode);
  });
  const answered = once(sent, 'response').then(async (event) => {
    const [response] = event as [IncomingMessage];
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return `${String(response.statusCode)} ${text}`;
  });
  return Promise.race([opened, answered]);
}

describe('a WebSocket to a container', () => {
  let node: TestNode;
  beforeAll(async () => {
    node = await TestNode.start();
  }, 60_000);
  afterAll(() => node[Symbol.asyncDispose]());

  it.each([...STREAMS, '/portForward/default/web?port=80'])(
    'is not opened to a client that may only get the proxy of the node: %s',
    async (path) => {
      expect(await node.open('reader', path)).toBe(
        '403 Forbidden (user=reader, verb=create, resource=nodes, subresource(s)=[proxy])\n',
      );
    },
  );

  it.each(STREAMS)('is opened to a client that may create the proxy of the node: %s', async (path) => {
    expect(await node.open('operator', path)).toBe('101');
  });

  it('is opened by the API server to its users', async () => {
    expect(await node.openByApiServer('/api/v1/namespaces/default/pods/web/exec?command=true&stdout=true')).toBe('101');
  });

  it('does not change what a client that may get the proxy reads', async () => {
    expect(await node.open('reader', '/containerLogs/default/web/app')).toMatch(/^200 /);
  });
});

it('opens a WebSocket to a container to a client that may only get the proxy of the node, with --permit-streams-by-get', async () => {
  await using node = await TestNode.start('--permit-streams-by-get');
  expect(await node.open('reader', EXEC)).toBe('101');
  expect(await node.open('operator', EXEC)).toMatch(/^403 .*verb=get/);
});
