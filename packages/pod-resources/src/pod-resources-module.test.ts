import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import type { ModuleContext, ModuleParts } from '@rxlet/agent-api';
import { nodeDevices } from '@rxlet/agent-api/node';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { createNodeFiles } from '@rxlet/node-files';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PodResourcesLister } from '../gen/podresources/v1/podresources_pb.js';
import { podResources } from './pod-resources-module.ts';

let folder: string;
const logger = recordingLogger();

beforeEach(async () => {
  folder = await mkdtemp(`${tmpdir()}/pod-resources-`);
});
afterEach(() => rm(folder, { recursive: true }));

function setUp(rootDirectory: string, more: object = {}): ModuleParts {
  return podResources().setup({
    clock: createVirtualClock(),
    logger,
    metrics: noopMetrics,
    files: createNodeFiles({ roots: [rootDirectory] }),
    node: { name: 'n1', rootDirectory, podLogsDirectory: '/logs', ips: [] },
    core: { activePods: () => [], pods: { list: () => [] } },
    services: { get: () => undefined, find: () => undefined },
    ...more,
  } as unknown as ModuleContext)!;
}

describe('the module podResources', () => {
  it("serves the kubelet's socket in a directory of its own", async () => {
    const parts = setUp(folder);
    await parts.start?.(new AbortController().signal);
    expect((await stat(`${folder}/pod-resources`)).mode & 0o777).toBe(0o750);
    expect((await stat(`${folder}/pod-resources/kubelet.sock`)).isSocket()).toBe(true);
    await parts[Symbol.asyncDispose]?.();
    await expect(stat(`${folder}/pod-resources/kubelet.sock`)).rejects.toThrow('ENOENT');
  });

  it('reports the devices of plugins', async () => {
    const pod = { metadata: { name: 'web', uid: 'u1' }, spec: { containers: [{ name: 'app' }] } };
    const device = { resourceName: 'example.com/gpu', deviceIds: ['d0'], numaNodes: [1] };
    const devices = {
      ofContainer: (uid: string) => (uid === 'u1' ? [device] : []),
      allocatable: () => [device, device],
    };
    const parts = setUp(folder, {
      core: { activePods: () => [pod], pods: { list: () => [pod] } },
      services: { find: (key: unknown) => (key === nodeDevices ? devices : undefined) },
    });
    await parts.start?.(new AbortController().signal);
    const transport = createGrpcTransport({
      baseUrl: 'http://localhost',
      nodeOptions: { createConnection: () => connect(`${folder}/pod-resources/kubelet.sock`) },
    });
    const client = createClient(PodResourcesLister, transport);
    const {
      podResources: [web],
    } = await client.list({});
    const listed = { resourceName: 'example.com/gpu', deviceIds: ['d0'], topology: { nodes: [{ ID: 1n }] } };
    expect(web?.containers[0]?.devices).toMatchObject([listed]);
    expect((await client.getAllocatableResources({})).devices).toMatchObject([listed, listed]);
    await parts[Symbol.asyncDispose]?.();
  });

  it('lets the agent start when it cannot listen', async () => {
    const root = `${folder}/${'long'.repeat(30)}`;
    await mkdir(root);
    const parts = setUp(root);
    await parts.start?.(new AbortController().signal);
    expect(logger.lines.map(({ message }) => message)).toEqual(['cannot serve the PodResources API']);
    await parts[Symbol.asyncDispose]?.();
  });
});
