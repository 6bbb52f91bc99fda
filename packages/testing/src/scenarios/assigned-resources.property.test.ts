import { create } from '@bufbuild/protobuf';
import { containerSteps } from '@rxlet/agent-api/containers';
import { contribute } from '@rxlet/agent-api';
import { ContainerState } from '@rxlet/cri-api';
import { cpuManager, createStaticCpuPolicy, restoreCpuState } from '@rxlet/cpu-manager';
import { type DevicePlugin, devicePlugins } from '@rxlet/device-manager';
import { ContainerAllocateResponseSchema } from '@rxlet/device-manager/testing';
import type { Container, Pod } from '@rxlet/kube-api';
import { createTestMachine, createTestTopology } from '@rxlet/machine/testing';
import { type CpuSet, formatCpuSet, parseCpuSet } from '@rxlet/machine/topology';
import { createStaticMemoryPolicy, memoryManager, restoreMemoryState } from '@rxlet/memory-manager';
import { nodePlugins } from '@rxlet/node-plugins';
import { createTestPluginServer, Registration } from '@rxlet/node-plugins/testing';
import { isSidecar, PodLabel, podUid } from '@rxlet/pod-model';
import { manifestPod } from '@rxlet/pod-model/testing';
import { topologyManager } from '@rxlet/topology-manager';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contributing } from '../test-modules.ts';
import { createTestNode, type TestNode } from '../test-node.ts';

const GPU = 'example.com/gpu';
const GI = 2 ** 30;
const RESERVED = { cpu: '500m', memory: '1Gi' };
const topology = createTestTopology({ sockets: 2, threadsOfCores: [1, 1, 1], nodeMemoryBytes: 4 * GI });
const reservedMemory = [{ numaNode: 0, limits: { memory: '1Gi' } }];
const cpuPolicy = createStaticCpuPolicy({ topology, reservedCpuCount: 1 });
const memoryPolicy = createStaticMemoryPolicy({
  topology,
  reservedMemory,
  nodeAllocatableReservation: { memory: '1Gi' },
});
const devices = [0, 0, 1].map((node, index) => ({ id: `d${String(index)}`, isHealthy: true, numaNodes: [node] }));

const containers = fc.record({
  kind: fc.constantFrom('init', 'sidecar', 'regular', 'regular'),
  cpu: fc.constantFrom('1', '2', '500m'),
  memory: fc.constantFrom('1Gi', '2Gi', '5Gi'),
  gpus: fc.constantFrom(0, 0, 1),
});
const pods = fc.array(fc.array(containers, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 5 });
const steps = fc.array(
  fc.record({
    desired: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
    /** Calls of ports until the agent is killed; without it, it lives on. */
    killAfter: fc.option(fc.integer({ min: 1, max: 150 }), { nil: undefined }),
    waitMs: fc.integer({ min: 0, max: 20_000 }),
  }),
  { minLength: 2, maxLength: 6 },
);
const alignment = fc.record({
  policy: fc.constantFrom('none', 'best-effort', 'restricted', 'single-numa-node'),
  scope: fc.constantFrom('container', 'pod'),
});

type ContainerShape = typeof containers extends fc.Arbitrary<infer T> ? T : never;

function podOf(index: number, shapes: readonly ContainerShape[]): Pod {
  const container = ({ kind, cpu, memory, gpus }: ContainerShape, position: number): Container => {
    const amounts = { cpu, memory, ...(gpus > 0 && { [GPU]: String(gpus) }) };
    return {
      name: `c${String(position)}`,
      image: 'app:1',
      resources: { requests: amounts, limits: amounts },
      ...(kind === 'sidecar' && { restartPolicy: 'Always' }),
    };
  };
  const all = shapes.map((shape, position) => ({ shape, container: container(shape, position) }));
  const of = (isRegular: boolean): Container[] =>
    all.filter(({ shape }) => (shape.kind === 'regular') === isRegular).map((each) => each.container);
  const regular = of(true);
  return manifestPod(`pod${String(index)}`, {
    initContainers: of(false),
    containers: regular.length > 0 ? regular : [{ name: 'idle', image: 'app:1' }],
  });
}

/** Modules of a node with CPUs, memory and devices on two NUMA nodes. Devices that a container got are noted by the id of the container. */
function modulesOf({ policy, scope }: { readonly policy: string; readonly scope: string }, got: Map<string, string>) {
  const readTopology = async () => topology;
  const plugin: DevicePlugin = {
    options: async () => ({ preStartRequired: false, preferredAllocationAvailable: false }),
    watch: (onDevices, signal) =>
      new Promise((resolve) => {
        onDevices(devices);
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    prefer: async () => [],
    allocate: async (ids) => create(ContainerAllocateResponseSchema, { annotations: { gpus: ids.join() } }),
    preStart: async () => undefined,
    [Symbol.dispose]: () => undefined,
  };
  const info = { type: 'DevicePlugin', name: GPU, supportedVersions: ['v1beta1'] };
  const server = createTestPluginServer([Registration], {
    answer: async ({ name }) => (name === 'GetInfo' ? info : {}),
  });
  const serve = async () => ({ [Symbol.asyncDispose]: async () => undefined });
  const keyOf = (pod: Pod, name: string): string => `${podUid(pod)}/${name}`;
  return [
    nodePlugins(server),
    topologyManager({ policy, scope, readTopology }),
    devicePlugins({ connect: () => plugin, serve }),
    cpuManager({ policy: 'static', systemReserved: RESERVED, readTopology }),
    memoryManager({
      policy: 'Static',
      reservedMemory,
      systemReserved: RESERVED,
      machine: createTestMachine(),
      readTopology,
    }),
    contributing(
      {
        contributions: [
          contribute(containerSteps, {
            name: 'recorder',
            preCreate: (pod, { name }, { annotations }) => void got.set(keyOf(pod, name), annotations['gpus'] ?? ''),
            preStart: (pod, { name }, id) => void got.set(id, got.get(keyOf(pod, name)) ?? ''),
          }),
        ],
      },
      'recorder',
    ),
  ];
}

/** Ends the running init containers that are no sidecars. */
function endInitContainers(node: TestNode, all: readonly Pod[]): void {
  for (const { id, labels, metadata, state } of node.fake.snapshot().containers) {
    const pod = all.find(({ metadata: of }) => of?.uid === labels[PodLabel.podUid]);
    const init = pod?.spec?.initContainers?.find(({ name }) => name === metadata?.name);
    if (state === ContainerState.CONTAINER_RUNNING && init !== undefined && !isSidecar(init))
      node.fake.exitContainer(id, 0);
  }
}

/** Checks that no resource of a running container belongs to another one, and that the state files add up. */
function checkNode(node: TestNode, all: readonly Pod[], got: Map<string, string>): void {
  const cpusInUse: CpuSet[] = [];
  const devicesInUse = new Set<string>();
  for (const { id, labels, metadata, resources, state } of node.fake.snapshot().containers) {
    if (state !== ContainerState.CONTAINER_RUNNING) continue;
    const pod = all.find(({ metadata: of }) => of?.uid === labels[PodLabel.podUid]);
    const container = [...(pod?.spec?.initContainers ?? []), ...(pod?.spec?.containers ?? [])].find(
      ({ name }) => name === metadata?.name,
    );
    const requested = String(container?.resources?.requests?.['cpu'] ?? '');
    const isGuaranteed = pod?.spec?.containers.every(({ name }) => name !== 'idle') === true;
    const cpus = parseCpuSet(resources?.linux?.cpusetCpus ?? '')!;
    if (isGuaranteed && /^\d+$/.test(requested)) {
      expect(cpus.size).toBe(Number(requested));
      // A running container keeps its CPUs, also over kills.
      const key = `CPUs of ${id}`;
      expect(formatCpuSet(cpus)).toBe(got.get(key) ?? formatCpuSet(cpus));
      got.set(key, formatCpuSet(cpus));
      for (const other of [cpuPolicy.reserved, ...cpusInUse]) expect(cpus.isDisjointFrom(other)).toBe(true);
      cpusInUse.push(cpus);
    }
    for (const device of (got.get(id) ?? '').split(',').filter((name) => name !== '')) {
      expect(devicesInUse.has(device)).toBe(false);
      devicesInUse.add(device);
    }
  }
  // Reading them checks that every CPU and every byte is free or belongs to someone, and to one only.
  restoreCpuState(cpuPolicy, node.files.text('/root/cpu_manager_state'), '/state');
  restoreMemoryState(memoryPolicy, node.files.text('/root/memory_manager_state'), '/state');
}

describe('CPUs, memory and devices of a node', () => {
  it(
    'go to one container at a time and are never lost, whenever the agent is killed',
    { timeout: 300_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(alignment, pods, steps, async (aligned, shapes, sequence) => {
          await using node = createTestNode();
          const all = shapes.map((shape, index) => podOf(index, shape));
          const got = new Map<string, string>();
          const start = () => node.start({ modules: modulesOf(aligned, got) });
          await start();
          node.files.putSpecial('/root/plugins_registry/gpu-reg.sock', 'socket');
          await node.advance(3_000);
          for (const { desired, killAfter, waitMs } of sequence) {
            node.desire(...all.filter((_, index) => desired[index]));
            if (killAfter !== undefined) {
              await node.killAtCall(killAfter, waitMs + 1);
              checkNode(node, all, got);
              await start();
            }
            await node.advance(waitMs);
            checkNode(node, all, got);
            endInitContainers(node, all);
            await node.advance(5_000);
            checkNode(node, all, got);
          }
          node.desire();
          await node.until(() => node.running().length === 0);
          await node.advance(120_000);
          const cpus = restoreCpuState(cpuPolicy, node.files.text('/root/cpu_manager_state'), '/state');
          const memory = restoreMemoryState(memoryPolicy, node.files.text('/root/memory_manager_state'), '/state');
          expect([cpus.assignments.size, memory.assignments.size]).toEqual([0, 0]);
          expect(node.files.text('/root/device-plugins/kubelet_internal_checkpoint')).toContain(
            '"PodDeviceEntries":null',
          );
        }),
        { numRuns: 15 },
      );
    },
  );
});
