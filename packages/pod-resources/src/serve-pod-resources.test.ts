import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { gunzipSync } from 'node:zlib';
import { type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { noopLogger } from '@rxlet/component-base';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  AllocatableResourcesResponseSchema,
  GetPodResourcesResponseSchema,
  ListPodResourcesResponseSchema,
  PodResourcesLister,
} from '../gen/podresources/v1/podresources_pb.js';
import {
  ListPodResourcesResponseSchema as ListPodDevicesResponseSchema,
  PodResourcesLister as PodDevicesLister,
} from '../gen/podresources/v1alpha1/podresources_pb.js';
import type { AssignedResources } from './assigned-resources.ts';
import { createPodResourcesApi } from './pod-resources-api.ts';
import { servePodResources } from './serve-pod-resources.ts';

/** A message by its field numbers, with texts as they are. */
type Fields = readonly (readonly [number, string | Fields])[];
type Recorded = readonly [Fields] | readonly [Fields, readonly [string, string]];

const recorded = JSON.parse(
  gunzipSync(await readFile(new URL('../fixtures/podresources.jsonl.gz', import.meta.url))).toString(),
) as Readonly<Record<string, Recorded>>;
const listed = recorded['v1.PodResourcesLister/List']![0];
const listedInAlpha = recorded['v1alpha1.PodResourcesLister/List']![0];

let folder: string;
let toDispose: AsyncDisposable[] = [];
const clock = createVirtualClock();

beforeEach(async () => {
  folder = await mkdtemp(`${tmpdir()}/pod-resources-`);
});
afterEach(async () => {
  for (const each of toDispose) await each[Symbol.asyncDispose]();
  toDispose = [];
  await rm(folder, { recursive: true });
});

async function serve(pods: readonly Pod[], assigned?: AssignedResources): Promise<Transport> {
  const activePods = (): Pod[] => pods.filter(({ status }) => status?.phase !== 'Failed');
  const api = createPodResourcesApi({ activePods, allPods: () => pods, assigned, metrics: noopMetrics });
  const socketPath = `${folder}/kubelet.sock`;
  toDispose.push(await servePodResources(api, { socketPath, clock, logger: noopLogger }));
  return createGrpcTransport({
    baseUrl: 'http://localhost',
    nodeOptions: { createConnection: () => connect(socketPath) },
  });
}

/** Returns a pod of the node that was recorded. */
function recordedPod(fields: Fields): Pod {
  const textOf = (of: Fields, number: number): string => String(of.find(([field]) => field === number)?.[1]);
  const [name, namespace] = [textOf(fields, 1), textOf(fields, 2)];
  const names = fields.flatMap(([field, content]) => (field === 3 ? [textOf(content as Fields, 1)] : []));
  const isActive = listed.some(([, pod]) => textOf(pod as Fields, 1) === name);
  return {
    metadata: { name, namespace, uid: `uid-${name}` },
    spec: {
      // The plain init container is in neither list, the sidecar in that of v1.
      ...(name === 'inits' && { initContainers: [{ name: 'sc', restartPolicy: 'Always' }, { name: 'once' }] }),
      containers: names.map((container) => ({ name: container })),
    },
    status: { phase: isActive ? 'Running' : 'Failed' },
  };
}

/** Decodes a message without its definition. */
function decode(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const fields: [number, string | Fields][] = [];
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (type !== WireType.LengthDelimited) throw new Error(`field ${String(number)} has the type ${String(type)}`);
    const content = reader.bytes();
    // No text of the recording has a byte below that of a blank.
    fields.push([number, content[0]! < 0x20 ? decode(content) : Buffer.from(content).toString()]);
  }
  return fields;
}

function fieldsOf<M extends DescMessage>(schema: M, message: MessageShape<M>): Fields {
  return decode(toBinary(schema, message));
}

describe('the PodResources API', () => {
  it('answers as recorded from a kubelet', async () => {
    const transport = await serve(listedInAlpha.map(([, pod]) => recordedPod(pod as Fields)));
    const [v1, alpha] = [createClient(PodResourcesLister, transport), createClient(PodDevicesLister, transport)];
    expect(fieldsOf(ListPodResourcesResponseSchema, await v1.list({}))).toEqual(listed);
    expect(fieldsOf(ListPodDevicesResponseSchema, await alpha.list({}))).toEqual(listedInAlpha);
    const allocatable = await v1.getAllocatableResources({});
    expect([fieldsOf(AllocatableResourcesResponseSchema, allocatable)]).toEqual(
      recorded['v1.PodResourcesLister/GetAllocatableResources'],
    );
    const [full, [, message]] = recorded['v1.PodResourcesLister/Get'] as [Fields, [string, string]];
    const got = await v1.get({ podNamespace: 'default', podName: 'full' });
    expect(fieldsOf(GetPodResourcesResponseSchema, got)).toEqual(full);
    const failure = await v1.get({ podNamespace: 'default', podName: 'nope' }).catch(ConnectError.from);
    expect(failure).toMatchObject({ code: Code.Unknown, rawMessage: message });
    // Of a pod that has ended the node has no resources any more.
    await expect(v1.get({ podNamespace: 'default', podName: 'evict' })).rejects.toThrow('pod evict in namespace');
  });

  it('reports CPUs, memory and devices of containers', async () => {
    const none = { cpuIds: [], memory: [], devices: [] };
    const own = {
      cpuIds: [2, 3],
      memory: [{ type: 'memory', sizeBytes: 1n << 30n, numaNodes: [0] }],
      devices: [{ resourceName: 'example.com/gpu', deviceIds: ['a', 'b'], numaNodes: [1] }],
    };
    const pod: Pod = {
      metadata: { name: 'p', namespace: 'ns', uid: 'u' },
      spec: { containers: [{ name: 'c' }, { name: 'd' }] },
    };
    const transport = await serve([pod], {
      ofContainer: ({ metadata }, container) => (metadata?.uid === 'u' && container === 'c' ? own : none),
      allocatable: () => own,
    });
    const v1 = createClient(PodResourcesLister, transport);
    const { podResources } = await v1.list({});
    expect(podResources[0]?.containers).toMatchObject([
      {
        name: 'c',
        cpuIds: [2n, 3n],
        memory: [{ memoryType: 'memory', size: 1n << 30n, topology: { nodes: [{ ID: 0n }] } }],
        devices: [{ resourceName: 'example.com/gpu', deviceIds: ['a', 'b'], topology: { nodes: [{ ID: 1n }] } }],
      },
      { name: 'd', cpuIds: [], memory: [], devices: [] },
    ]);
    expect((await v1.getAllocatableResources({})).cpuIds).toEqual([2n, 3n]);
    const alpha = await createClient(PodDevicesLister, transport).list({});
    expect(alpha.podResources[0]?.containers[0]?.devices).toMatchObject([{ resourceName: 'example.com/gpu' }]);
  });

  it('rejects more than ten requests at once, and a hundred a second', async () => {
    const v1 = createClient(PodResourcesLister, await serve([]));
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, async () =>
        v1.list({}).then(
          () => 'ok',
          (error: unknown) => String(error),
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(10);
    expect(outcomes.at(-1)).toBe('ConnectError: [resource_exhausted] rejected by rate limit');
    await clock.advance(10);
    await expect(v1.list({})).resolves.toMatchObject({ podResources: [] });
  });

  it("has the kubelet's mode, and leaves no socket", async () => {
    await serve([]);
    expect((await stat(`${folder}/kubelet.sock`)).mode & 0o777).toBe(0o755);
    await toDispose.pop()?.[Symbol.asyncDispose]();
    await expect(stat(`${folder}/kubelet.sock`)).rejects.toThrow('ENOENT');
  });
});
