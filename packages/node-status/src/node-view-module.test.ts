import { provide } from '@rxlet/agent-api';
import { type EndpointRequest, httpEndpoints } from '@rxlet/agent-api/http';
import { runtimeHealth } from '@rxlet/agent-api/node';
import { contributionsTo, createModuleContext } from '@rxlet/agent-api/testing';
import type { Node } from '@rxlet/kube-api';
import { createTestMachine } from '@rxlet/machine/testing';
import { expect, it } from 'vitest';
import { nodeView } from './node-view-module.ts';
import { testNodeInputs } from './test-support.ts';

it('shows the node when it is asked for', async () => {
  let problems: readonly string[] = [];
  const health = { problems: () => problems, handlers: () => [], features: () => undefined };
  const context = createModuleContext({
    runtime: { version: async () => ({ runtimeName: 'containerd', runtimeVersion: '2.0.2' }) as never },
    services: [provide(runtimeHealth, health as never)],
  });
  const machine = createTestMachine({ facts: testNodeInputs.machine, fileSystemBytes: 1000 });
  const parts = nodeView({ machine }).setup(context)!;
  const [endpoint] = contributionsTo(parts, httpEndpoints);
  const read = async (): Promise<Node> => {
    const { body } = await endpoint!.handle({ signal: new AbortController().signal } as EndpointRequest);
    return JSON.parse(body as string) as Node;
  };
  const readiness = ({ status }: Node) => status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  const node = await read();
  expect(endpoint).toMatchObject({ path: 'node', isLocal: true });
  expect(node).toMatchObject({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node1' },
    status: { nodeInfo: { containerRuntimeVersion: 'containerd://2.0.2' } },
  });
  expect(readiness(node)).toBe('True');
  problems = ['container runtime is down'];
  expect(readiness(await read())).toBe('False');
});
