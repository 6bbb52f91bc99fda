import { createCurrentValue } from '@rxlet/component-base/streams';
import { KubeError } from '@rxlet/kube-api/client';
import type { NodeDevices, NodeStatusSetter } from '@rxlet/agent-api/node';
import { createMemoryKube, type KubeRequest } from '@rxlet/kube-api/testing';
import { seededRandom } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { Lease, Node } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { createTestMachine } from '@rxlet/machine/testing';
import { describe, expect, it } from 'vitest';
import { initialNode } from '../initial-node.ts';
import { createNodeInputs } from '../node-inputs.ts';
import { setNodeStatus } from '../set-node-status.ts';
import { testNodeInputs, testNodeSettings } from '../test-support.ts';
import { createClusterNode } from './cluster-node.ts';

type TestDevices = Pick<NodeDevices, 'amounts' | 'wereUnknown'>;

const READY_MS = 1_000;
const lines = (requests: readonly KubeRequest[]): string[] =>
  requests.filter(({ verb }) => verb !== 'watch').map(({ verb, resource }) => `${verb} ${resource}`);

interface SetUpOptions {
  readonly waitsForRuntime?: boolean;
  readonly devices?: TestDevices;
  readonly registers?: boolean;
}

function setUp({ waitsForRuntime = false, devices, registers = true }: SetUpOptions = {}) {
  const clock = createVirtualClock({ startMs: testNodeInputs.nowMs });
  const logger = recordingLogger();
  const kube = createMemoryKube();
  const state = { problems: [] as string[], setters: [] as NodeStatusSetter[], podCidrs: [] as unknown[] };
  const reasons: string[] = [];
  const events: EventRecorder = { event: (_object, _type, reason) => void reasons.push(reason) };
  const random = seededRandom(1);
  const { machine, addresses } = testNodeInputs;
  const isKnown = createCurrentValue(!waitsForRuntime);
  const health = {
    isKnown,
    problems: () => state.problems,
    handlers: () => [],
    features: () => undefined,
  };
  const inputs = createNodeInputs(
    {
      machine: createTestMachine({ facts: machine, addresses, fileSystemBytes: 100 * 1024 ** 3 }),
      runtime: { version: async () => ({ runtimeName: 'containerd', runtimeVersion: '2.0.2' }) as never },
      images: { listImages: async () => ({ images: [] }) },
      health,
      setters: () => state.setters,
      devices,
      clock,
      logger,
    },
    { settings: testNodeSettings, rootDirectory: '/var/lib/kubelet' },
  );
  const runtime = { updateRuntimeConfig: async (request: unknown) => void state.podCidrs.push(request) as never };
  const node = createClusterNode(
    {
      clients: kube,
      inputs,
      runtime,
      health,
      events,
      clock,
      random,
      logger,
      devices,
      isHealthy: () => state.problems.length === 0,
    },
    { settings: testNodeSettings, registerNode: registers },
  );
  const stored = (): Node | undefined => kube.peek(resources.nodes, { name: 'node1' });
  const lease = (): Lease | undefined => kube.peek(resources.leases, { name: 'node1', namespace: 'kube-node-lease' });
  const readyMessage = (): string | undefined => stored()?.status?.conditions?.at(-1)?.message;
  return { clock, logger, kube, state, reasons, node, isKnown, stored, lease, readyMessage };
}

const existing = (): Node => setNodeStatus(initialNode(testNodeSettings), testNodeInputs).node;

describe('createClusterNode', () => {
  it('registers the node with its status, and then is quiet but for the lease', async () => {
    const { clock, kube, node, stored, lease } = setUp();
    await using _ = node;
    await node.start();
    await clock.advance(READY_MS);
    expect(stored()?.status).toMatchObject({
      capacity: { cpu: '2' },
      nodeInfo: { containerRuntimeVersion: 'containerd://2.0.2' },
    });
    const { length } = kube.requests;
    await clock.advance(60_000);
    expect(lines(kube.requests.slice(length)).filter((line) => !line.endsWith('leases'))).toEqual([]);
    expect(lines(kube.requests.slice(length)).filter((line) => line === 'update leases').length).toBeGreaterThanOrEqual(
      4,
    );
    expect(lease()).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Node', name: 'node1', uid: stored()?.metadata?.uid }] },
      spec: { holderIdentity: 'node1', leaseDurationSeconds: 40 },
    });
  });

  it('has a lease from its registration on', async () => {
    const { clock, node, stored, lease } = setUp();
    await using _ = node;
    await node.start();
    await clock.runUntil(() => stored() !== undefined);
    await clock.advance(0);
    expect(lease()).toMatchObject({ metadata: { ownerReferences: [{ uid: stored()?.metadata?.uid }] } });
  });

  it('has a lease as soon as an operator has created its Node object', async () => {
    const { clock, kube, node, lease } = setUp({ registers: false });
    await using _ = node;
    await node.start();
    await clock.advance(3_000);
    expect(lease()).toBeUndefined();
    kube.put(resources.nodes, existing());
    await clock.advance(0);
    expect(lease()).toBeDefined();
  });

  it('reports nothing before it is known what the runtime can do', async () => {
    const { clock, kube, node, stored, isKnown } = setUp({ waitsForRuntime: true });
    await using _ = node;
    kube.put(resources.nodes, existing());
    const { length } = kube.requests;
    await node.start();
    await clock.advance(60_000);
    expect(lines(kube.requests.slice(length)).filter((line) => line === 'patch nodes/status')).toEqual([]);
    isKnown.set(true);
    await clock.advance(READY_MS);
    expect(stored()?.status?.conditions?.at(-1)?.status).toBe('True');
  });

  it('records its start and the first state of each pressure', async () => {
    const { clock, reasons, node } = setUp();
    await using _ = node;
    await node.start();
    await clock.advance(READY_MS);
    expect(reasons).toEqual(['Starting', 'NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID']);
  });

  it('reports a status that stays the same after about five minutes', async () => {
    const { clock, kube, node, stored } = setUp();
    await using _ = node;
    await node.start();
    await clock.advance(READY_MS);
    const { length } = kube.requests;
    await clock.advance(1_500_000);
    const patches = kube.requests.slice(length).filter(({ resource }) => resource === 'nodes/status');
    expect(patches.length).toBeGreaterThanOrEqual(3);
    expect(patches.length).toBeLessThanOrEqual(6);
    expect(Object.keys((patches[0]?.body as Node).status ?? {}).sort()).toEqual([
      '$setElementOrder/conditions',
      'conditions',
    ]);
    expect(stored()?.status?.conditions).toHaveLength(4);
  });

  it('reconciles a node that exists, and keeps what is not its own', async () => {
    const { clock, kube, node, stored } = setUp();
    await using _ = node;
    const { metadata } = existing();
    kube.put(resources.nodes, {
      ...existing(),
      metadata: { ...metadata, labels: { mine: 'x' } },
      spec: { taints: [{ key: 'mine', effect: 'NoSchedule' }] },
    });
    await node.start();
    await clock.advance(READY_MS);
    expect(stored()?.metadata?.labels).toMatchObject({ mine: 'x', 'kubernetes.io/hostname': 'node1' });
    expect(stored()?.spec).toEqual({ taints: [{ key: 'mine', effect: 'NoSchedule' }] });
  });

  it.each([
    [true, '0'],
    [false, '5'],
  ])('shows devices of plugins; unknown (%s) extended resources are %s', async (wereUnknown, others) => {
    let amounts = { capacity: { 'a.b/gpu': '2' }, allocatable: { 'a.b/gpu': '1' }, removed: [] as string[] };
    const { clock, kube, node, stored } = setUp({ devices: { wereUnknown, amounts: () => amounts } });
    await using _ = node;
    const { status, ...rest } = existing();
    const before = {
      capacity: { ...status?.capacity, 'a.b/other': '5' },
      allocatable: { ...status?.allocatable, 'a.b/other': '5' },
    };
    kube.put(resources.nodes, { ...rest, status: { ...status, ...before } });
    await node.start();
    await clock.advance(READY_MS);
    expect(stored()?.status).toMatchObject({
      capacity: { 'a.b/gpu': '2', 'a.b/other': others },
      allocatable: { 'a.b/gpu': '1', 'a.b/other': others },
    });
    amounts = { capacity: {}, allocatable: {}, removed: ['a.b/gpu'] } as unknown as typeof amounts;
    await clock.advance(11_000);
    expect(stored()?.status).toMatchObject({ capacity: { 'a.b/gpu': '0' }, allocatable: { 'a.b/gpu': '0' } });
  });

  it('retries a registration that fails with a growing delay', async () => {
    const { clock, kube, node, stored } = setUp();
    await using _ = node;
    kube.onRequest = () => {
      throw new KubeError('Unreachable', 'connection refused');
    };
    await node.start();
    await clock.advance(60_000);
    const creations = lines(kube.requests).filter((line) => line === 'create nodes').length;
    expect(creations).toBeGreaterThanOrEqual(10);
    expect(creations).toBeLessThanOrEqual(15);
    kube.onRequest = undefined;
    await clock.advance(8_000);
    expect(stored()).toBeDefined();
  });

  it('reports at once that a new node has become ready', async () => {
    const { clock, state, reasons, node, readyMessage } = setUp();
    await using _ = node;
    state.problems = ['container runtime status check may not have completed yet'];
    await node.start();
    await clock.advance(2 * READY_MS);
    expect(readyMessage()).toBe('container runtime status check may not have completed yet');
    state.problems = [];
    await clock.advance(200);
    expect(readyMessage()).toBe('kubelet is posting ready status');
    expect(reasons.at(-1)).toBe('NodeReady');
  });

  it('reports a problem within ten seconds, and an event', async () => {
    const { clock, state, reasons, node, readyMessage } = setUp();
    await using _ = node;
    await node.start();
    await clock.advance(READY_MS);
    state.problems = ['container runtime is down'];
    await clock.advance(10_500);
    expect(readyMessage()).toBe('container runtime is down');
    expect(reasons.filter((reason) => reason === 'NodeNotReady')).toHaveLength(1);
  });

  it('shows what setters own, and nothing else of theirs', async () => {
    const { clock, state, node, stored, logger } = setUp();
    await using _ = node;
    state.setters = [
      {
        name: 'volumes',
        fields: ['volumesInUse'],
        contribute: () => ({ status: { volumesInUse: ['a'], phase: 'Running' as const } }),
      },
      {
        name: 'pressure',
        conditionTypes: ['MemoryPressure'],
        contribute: () => ({
          conditions: [
            { type: 'MemoryPressure', status: 'True', reason: 'r', message: 'm' },
            { type: 'Foreign', status: 'True', reason: 'r', message: 'm' },
          ],
          notReady: 'node is shutting down',
        }),
      },
      {
        name: 'broken',
        contribute() {
          throw new Error('no');
        },
      },
    ];
    await node.start();
    await clock.advance(READY_MS);
    expect(stored()?.status?.volumesInUse).toEqual(['a']);
    expect(stored()?.status).not.toHaveProperty('phase');
    expect(stored()?.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'MemoryPressure=True',
      'DiskPressure=False',
      'PIDPressure=False',
      'Ready=False',
    ]);
    expect(logger.lines.filter(({ fields }) => fields?.['error'] === 'no')).toHaveLength(1);
  });

  it('passes new ranges of pod addresses to the runtime once', async () => {
    const { clock, kube, state, node } = setUp();
    await using _ = node;
    await node.start();
    await clock.advance(READY_MS);
    const current = kube.peek(resources.nodes, { name: 'node1' })!;
    kube.put(resources.nodes, { ...current, spec: { podCIDRs: ['10.0.0.0/24'] } });
    await clock.advance(30_000);
    expect(state.podCidrs).toEqual([{ runtimeConfig: { networkConfig: { podCidr: '10.0.0.0/24' } } }]);
  });

  it('renews the lease after an outage, and reads it before', async () => {
    const { clock, kube, node, lease } = setUp();
    await using _ = node;
    await node.start();
    await clock.advance(15_000);
    kube.onRequest = () => {
      throw new KubeError('Unreachable', 'connection refused');
    };
    await clock.advance(120_000);
    kube.onRequest = undefined;
    const { length } = kube.requests;
    await clock.advance(8_000);
    const later = lines(kube.requests.slice(length)).filter((line) => line.endsWith('leases'));
    expect(later.slice(0, 2)).toEqual(['get leases', 'update leases']);
    expect(Date.parse(lease()?.spec?.renewTime ?? '')).toBeGreaterThan(clock.now() - 8_000);
  });

  it('reports the schedulability of the node', async () => {
    const { clock, kube, reasons, node } = setUp();
    await using _ = node;
    await node.start();
    await clock.advance(READY_MS);
    const current = kube.peek(resources.nodes, { name: 'node1' })!;
    kube.put(resources.nodes, { ...current, spec: { unschedulable: true } });
    await clock.advance(11_000);
    expect(reasons.at(-1)).toBe('NodeNotSchedulable');
    kube.put(resources.nodes, { ...kube.peek(resources.nodes, { name: 'node1' })!, spec: {} });
    await clock.advance(11_000);
    expect(reasons.at(-1)).toBe('NodeSchedulable');
  });

  it('leaves no timer and no watch behind', async () => {
    const { clock, kube, node } = setUp();
    await node.start();
    await clock.advance(READY_MS);
    await node.whenSynced(new AbortController().signal);
    await node[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
    expect(kube.openWatches).toBe(0);
  });
});
