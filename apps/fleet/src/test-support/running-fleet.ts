import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noopLogger, systemClock, systemRandom } from '@rxlet/component-base';
import type { KubeClient } from '@rxlet/kube-api/client';
import { resources } from '@rxlet/kube-api/resources';
import { createKubeClient, type CredentialSource, createUndiciTransport, parseKubeconfig } from '@rxlet/kube-client';
import { run } from '../run.ts';

/** A fleet with an API server of its own, as the command runs it. Disposal stops it. */
export interface RunningFleet extends AsyncDisposable {
  readonly client: KubeClient;
  /** Returns the text that the API server answers to a GET. */
  get(path: string): Promise<string>;
  /** Returns the text that the API of a node answers to the administrator's GET. */
  getFromNode(nodeName: string, path: string): Promise<string>;
  /** Errors that the command has printed. */
  readonly stderr: () => string;
}

/** Runs `rxlet-fleet --fake-kube` with further arguments until its nodes are ready. */
export async function startFleet(...args: readonly string[]): Promise<RunningFleet> {
  const folder = await mkdtemp(join(tmpdir(), 'rxlet-fleet-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const stop = new AbortController();
  const ready = Promise.withResolvers<void>();
  let stderr = '';
  const running = run(['--fake-kube', '--listen', '127.0.0.1:0', '--admin-kubeconfig', kubeconfig, ...args], {
    stdout: (text) => void (text.includes('ready') && ready.resolve()),
    stderr: (text) => (stderr += text),
    signal: stop.signal,
  });
  running.then(() => ready.reject(new Error(`the fleet ended: ${stderr}`)), ready.reject);
  await ready.promise;
  const endpoint = parseKubeconfig(await readFile(kubeconfig, 'utf8'), kubeconfig);
  const transport = createUndiciTransport({ clock: systemClock, env: {} }, endpoint);
  const ports = { transport, clock: systemClock, random: systemRandom, logger: noopLogger };
  const client = createKubeClient(ports, { userAgent: 'test/v1' });
  return {
    client,
    async get(path) {
      const { body } = await transport.send({ method: 'GET', path, headers: {}, signal: stop.signal });
      return textOf(body);
    },
    async getFromNode(name, path) {
      const { status } = await client.get(resources.nodes, { name });
      const [cert, key] = [endpoint.clientCertificate?.certificate, endpoint.clientCertificate?.key].map(dataOf);
      const port = status?.daemonEndpoints?.kubeletEndpoint?.Port;
      const options = { host: '127.0.0.1', port, path, cert, key, rejectUnauthorized: false, agent: false } as const;
      const [response] = (await once(get(options), 'response')) as [IncomingMessage];
      return textOf(response);
    },
    stderr: () => stderr,
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      stop.abort();
      await running;
      await rm(folder, { recursive: true });
    },
  };
}

function dataOf(source: CredentialSource | undefined): string {
  if (source === undefined || !('pem' in source)) throw new Error('the kubeconfig has no certificate in it');
  return source.pem;
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
