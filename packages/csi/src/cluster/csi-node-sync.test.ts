import { createCurrentValue } from '@rxlet/component-base/streams';
import { createMemoryKube } from '@rxlet/kube-api/testing';
import type { RegisteredCsiDriver } from '../csi-drivers.ts';
import { noopLogger, seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { CSINode, Node } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { expect, it, onTestFinished } from 'vitest';
import { createCsiNodeSync } from './csi-node-sync.ts';
import { type CsiNodeWriter, createCsiNodeWriter } from './csi-node-writer.ts';

const ref = { name: 'node1' };
const driver: RegisteredCsiDriver = {
  name: 'disk.example.com',
  nodeId: 'n-1',
  maxVolumes: 5,
  topology: { 'topology.example.com/zone': 'a' },
};

function setUp({ rejects = () => false }: { rejects?: (driverName: string) => boolean } = {}) {
  const clock = createVirtualClock();
  const kube = createMemoryKube();
  const registered = createCurrentValue<readonly RegisteredCsiDriver[]>([]);
  const made = createCsiNodeWriter(kube.main, 'node1');
  const writer: CsiNodeWriter = {
    ...made,
    install: async (driver, signal) => {
      if (rejects(driver.name)) throw new Error(`CSINode "node1" is invalid: ${driver.name}`);
      await made.install(driver, signal);
    },
  };
  const random = seededRandom(1);
  const sync = createCsiNodeSync({
    writer,
    drivers: { registered$: registered.value$ },
    clock,
    random,
    logger: noopLogger,
  });
  onTestFinished(() => sync[Symbol.asyncDispose]());
  const node = (): Node => kube.peek(resources.nodes, ref)!;
  const csiNode = (): CSINode | undefined => kube.peek(resources.csiNodes, ref);
  return { clock, kube, registered, sync, node, csiNode };
}

it('creates the object once the node exists, and keeps the node from being ready until then', async () => {
  const { clock, kube, sync, node, csiNode } = setUp();
  sync.start();
  await clock.advance(300);
  expect(sync.problem).toBe('CSINode is not yet initialized');
  await clock.advance(10_000);
  expect(sync.problem).toBe(
    'failed to initialize CSINode: error updating CSINode annotation: timed out waiting for the condition; caused by: nodes "node1" not found',
  );
  kube.put(resources.nodes, { metadata: { name: 'node1' } });
  await clock.advance(20_000);
  expect(sync.problem).toBeUndefined();
  expect(csiNode()?.spec.drivers).toEqual([]);
  expect(csiNode()?.metadata?.ownerReferences).toMatchObject([{ kind: 'Node', uid: node().metadata?.uid }]);
});

it('replaces the object of an earlier node of the name', async () => {
  const { clock, kube, sync, node, csiNode } = setUp();
  kube.put(resources.nodes, { metadata: { name: 'node1' } });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'node1', uid: 'earlier' }];
  kube.put(resources.csiNodes, { metadata: { name: 'node1', ownerReferences }, spec: { drivers: [] } });
  sync.start();
  await clock.advance(1_000);
  expect(csiNode()?.metadata?.ownerReferences?.[0]?.uid).toBe(node().metadata?.uid);
});

it('lists drivers as long as they are registered, on the node and on its CSINode', async () => {
  const { clock, kube, registered, sync, node, csiNode } = setUp();
  kube.put(resources.nodes, { metadata: { name: 'node1', annotations: { mine: 'x' } } });
  sync.start();
  registered.set([driver]);
  await clock.advance(1_000);
  expect(csiNode()?.spec.drivers).toEqual([
    {
      name: 'disk.example.com',
      nodeID: 'n-1',
      topologyKeys: ['topology.example.com/zone'],
      allocatable: { count: 5 },
    },
  ]);
  expect(node().metadata).toMatchObject({
    labels: { 'topology.example.com/zone': 'a' },
    annotations: { mine: 'x', 'csi.volume.kubernetes.io/nodeid': '{"disk.example.com":"n-1"}' },
  });
  const requests = kube.requests.length;
  registered.set([{ ...driver }]);
  await clock.advance(60_000);
  expect(kube.requests).toHaveLength(requests);
  registered.set([]);
  await clock.advance(1_000);
  expect(csiNode()?.spec.drivers).toEqual([]);
  expect(node().metadata?.annotations).toEqual({ mine: 'x' });
});

it('lists the other drivers while the API server rejects one', async () => {
  const rejects = (name: string): boolean => name.includes('not valid');
  const { clock, kube, registered, sync, csiNode } = setUp({ rejects });
  kube.put(resources.nodes, { metadata: { name: 'node1' } });
  sync.start();
  await clock.advance(1_000);
  const names = (): readonly string[] => (csiNode()?.spec.drivers ?? []).map(({ name }) => name).toSorted();
  registered.set([{ ...driver, name: 'not valid' }, driver, { ...driver, name: 'also not valid' }]);
  await clock.advance(1_000);
  expect(names()).toEqual(['disk.example.com']);
  await clock.advance(600_000);
  registered.set([{ ...driver, name: 'not valid' }, driver, { ...driver, name: 'later.example.com' }]);
  await clock.advance(20_000);
  expect(names()).toEqual(['disk.example.com', 'later.example.com']);
  registered.set([{ ...driver, name: 'not valid' }]);
  await clock.advance(40_000);
  expect(names()).toEqual([]);
});

it('keeps drivers of an earlier agent until they register again', async () => {
  const { clock, kube, registered, sync, csiNode } = setUp();
  const node = kube.put(resources.nodes, { metadata: { name: 'node1' } });
  const drivers = [{ name: 'disk.example.com', nodeID: 'old', topologyKeys: [] }];
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'node1', uid: node.metadata?.uid ?? '' }];
  kube.put(resources.csiNodes, { metadata: { name: 'node1', ownerReferences }, spec: { drivers } });
  sync.start();
  await clock.advance(60_000);
  expect(csiNode()?.spec.drivers).toEqual(drivers);
  registered.set([driver]);
  await clock.advance(1_000);
  expect(csiNode()?.spec.drivers.map(({ nodeID }) => nodeID)).toEqual(['n-1']);
});

it('does not overwrite a label of the topology that has another value', async () => {
  const { clock, kube, registered, sync, node, csiNode } = setUp();
  kube.put(resources.nodes, { metadata: { name: 'node1', labels: { 'topology.example.com/zone': 'b' } } });
  sync.start();
  registered.set([driver]);
  await clock.advance(60_000);
  expect(node().metadata?.labels).toEqual({ 'topology.example.com/zone': 'b' });
  expect(csiNode()?.spec.drivers).toEqual([]);
});
