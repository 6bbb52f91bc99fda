import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { type ModuleParts, provide, type ProvidedService } from '@rxlet/agent-api';
import { assignedMemory, dynamicResources, exclusiveCpus, type NodeDevices, nodeDevices } from '@rxlet/agent-api/node';
import { createModuleContext } from '@rxlet/agent-api/testing';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { createNodeFiles } from '@rxlet/node-files';
import { NEVER } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PodResourcesLister } from '../gen/podresources/v1/podresources_pb.js';
import { podResources } from './pod-resources-module.ts';

let folder: string;
const logger = recordingLogger();

beforeEach(async () => {
  folder = await mkdtemp(`${tmpdir()}/pod-resources-`);
});
afterEach(() => rm(folder, { recursive: true }));

function setUp(
  rootDirectory: string,
  pods: readonly Pod[] = [],
  services: readonly ProvidedService[] = [],
): ModuleParts {
  return podResources().setup(
    createModuleContext({
      clock: createVirtualClock(),
      logger,
      files: createNodeFiles({ roots: [rootDirectory] }),
      node: { name: 'n1', rootDirectory, podLogsDirectory: '/logs', ips: [] },
      core: { activePods: () => pods, pods: { list: () => pods, get: () => undefined, changes$: NEVER } },
      services,
    }),
  )!;
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

  it('reports the CPUs, the memory, the devices and the claims that other modules assign', async () => {
    const pod = { metadata: { name: 'web', uid: 'u1' }, spec: { containers: [{ name: 'app' }] } };
    const device = { resourceName: 'example.com/gpu', deviceIds: ['d0'], numaNodes: [1] };
    const devices = {
      ofContainer: (uid: string) => (uid === 'u1' ? [device] : []),
      allocatable: () => [device, device],
    };
    const cpus = { ofContainer: () => [1], isUnlimited: () => true, allocatable: () => [1, 2] };
    const memory = {
      ofContainer: () => [],
      allocatable: () => [{ type: 'memory', sizeBytes: 5n, numaNodes: [0] }],
    };
    const claimed = { driverName: 'gpu.example.com', poolName: 'pool', shareId: undefined, cdiDeviceIds: ['x/y=1'] };
    const claim = {
      ...{ name: 'gpu', namespace: 'ns' },
      devices: [
        { ...claimed, deviceName: 'd1' },
        { ...claimed, deviceName: 'd2', shareId: 's' },
      ],
    };
    const parts = setUp(
      folder,
      [pod],
      [
        provide(dynamicResources, { ofContainer: (of, name) => (of === pod && name === 'app' ? [claim] : []) }),
        provide(nodeDevices, devices as unknown as NodeDevices),
        provide(exclusiveCpus, cpus),
        provide(assignedMemory, memory),
      ],
    );
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
    expect(web?.containers[0]).toMatchObject({ cpuIds: [1n], memory: [] });
    const claimedDevice = { driverName: 'gpu.example.com', poolName: 'pool', cdiDevices: [{ name: 'x/y=1' }] };
    expect(web?.containers[0]?.dynamicResources).toMatchObject([
      {
        claimName: 'gpu',
        claimNamespace: 'ns',
        claimResources: [
          { ...claimedDevice, deviceName: 'd1' },
          { ...claimedDevice, deviceName: 'd2', shareId: 's' },
        ],
      },
    ]);
    expect(await client.getAllocatableResources({})).toMatchObject({
      cpuIds: [1n, 2n],
      memory: [{ memoryType: 'memory', size: 5n, topology: { nodes: [{ ID: 0n }] } }],
      devices: [listed, listed],
    });
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

  it('lets the agent start when its directory cannot be created', async () => {
    await writeFile(`${folder}/pod-resources`, '');
    const parts = setUp(folder);
    await parts.start?.(new AbortController().signal);
    expect(logger.lines.map(({ message }) => message)).toContain('cannot serve the PodResources API');
    await parts[Symbol.asyncDispose]?.();
  });
});
