import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Agent } from '@rxlet/agent';
import type { RuntimeService } from '@rxlet/cri-api';
import { type EndpointResponse, httpEndpoints } from '@rxlet/agent-api/http';
import { sleep, systemClock } from '@rxlet/component-base';
import { createManualSource, podsFrom } from '@rxlet/pod-config';
import { defaultPod } from '@rxlet/pod-model/defaults';
import { connectCommand } from '@rxlet/streaming/client';
import { expect, it, onTestFinished } from 'vitest';
import { createVirtualNode } from './create-virtual-node.ts';
import { createProcessProvider } from './processes/create-process-provider.ts';

const { signal } = new AbortController();

/** Starts a node of processes with one pod, which prints a line and stays. */
async function startNode(): Promise<{ readonly node: Agent; readonly runtime: RuntimeService }> {
  const directory = await mkdtemp(join(tmpdir(), 'virtual-node-'));
  const provider = createProcessProvider({ clock: systemClock }, { directory: join(directory, 'pods') });
  const source = createManualSource('test');
  let runtime: RuntimeService | undefined;
  const node = await createVirtualNode(provider, {
    name: 'test',
    rootDirectory: directory,
    modules: [
      podsFrom(source),
      {
        name: 'runtime-of-modules',
        setup(context) {
          ({ runtime } = context);
          return {};
        },
      },
    ],
  });
  const until = async (isTrue: () => boolean): Promise<void> => {
    for (let waitedMs = 0; waitedMs < 20_000 && !isTrue(); waitedMs += 20) await sleep(systemClock, 20);
    expect(isTrue()).toBe(true);
  };
  onTestFinished(async () => {
    source.set([]);
    await until(() => node.pods.list().length === 0);
    await node[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });
  await node.start();
  const containers = [{ name: 'main', command: ['sh', '-c', 'echo hello; sleep 600'] }];
  const metadata = { name: 'web', namespace: 'default', uid: 'uid-web' };
  source.set([defaultPod({ metadata, spec: { terminationGracePeriodSeconds: 1, containers } })]);
  await until(() => node.pods.list()[0]?.status?.phase === 'Running');
  return { node, runtime: runtime! };
}

async function get(node: Agent, path: string, segments: readonly string[] = [], query = ''): Promise<string> {
  const endpoint = node.contributions(httpEndpoints).find((one) => one.path === path)!;
  const request = { method: 'GET', segments, parameters: new URLSearchParams(query), headers: {}, signal };
  const { body }: EndpointResponse = await endpoint.handle(request);
  if (typeof body === 'string') return body;
  const chunks: Uint8Array[] = [];
  if (body instanceof Uint8Array) chunks.push(body);
  else for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

it('serves logs, statistics and commands by the methods of the provider', { timeout: 60_000 }, async () => {
  const { node, runtime } = await startNode();
  const logs = (pod: string): Promise<string> => get(node, 'containerLogs', ['default', pod, 'main']);
  await sleep(systemClock, 200);
  expect(await logs('web')).toBe('hello\n');
  await expect(logs('none')).rejects.toMatchObject({ status: 404 });

  const summary = JSON.parse(await get(node, 'stats/summary')) as { pods: { podRef: object; memory: object }[] };
  expect(summary.pods[0]).toMatchObject({
    podRef: { name: 'web', namespace: 'default', uid: 'uid-web' },
    memory: { workingSetBytes: expect.any(Number) as number },
  });
  expect(await get(node, 'metrics/resource')).toContain('pod_memory_working_set_bytes{namespace="default",pod="web"}');

  const { containers } = await runtime.listContainers({});
  const options = { tty: false, stdin: false, stdout: true, stderr: false };
  const command = { containerId: containers[0]!.id, cmd: ['sh', '-c', 'echo in $HOSTNAME; exit 4'], ...options };
  const { url } = await runtime.exec(command);
  await using remote = await connectCommand({ url }, options, { clock: systemClock, signal });
  expect(await text(remote.stdout!)).toBe('in web\n');
  expect(await remote.outcome).toEqual({ kind: 'exited', code: 4 });
});
