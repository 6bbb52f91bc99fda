import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noopLogger, systemClock, systemRandom } from '@rxlet/component-base';
import type { KubeClient } from '@rxlet/kube-api/client';
import { createKubeClient, createUndiciTransport, parseKubeconfig } from '@rxlet/kube-client';
import { run } from '../run.ts';

/** A fleet with an API server of its own, as the command runs it. Disposal stops it. */
export interface RunningFleet extends AsyncDisposable {
  readonly client: KubeClient;
  /** Returns the text that the API server answers to a GET. */
  get(path: string): Promise<string>;
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
  return {
    client: createKubeClient(ports, { userAgent: 'test/v1' }),
    async get(path) {
      const { body } = await transport.send({ method: 'GET', path, headers: {}, signal: stop.signal });
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
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
