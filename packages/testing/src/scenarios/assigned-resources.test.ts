import { type AgentModule, provide } from '@rxlet/agent-api';
import { type PodCgroups, podCgroups } from '@rxlet/agent-api/node';
import { topologyAlignment } from '@rxlet/agent-api/topology';
import { cpuManager, type CpuManagerModuleOptions, formatCpuState } from '@rxlet/cpu-manager';
import type { Container, Pod } from '@rxlet/kube-api';
import { createTestMachine, createTestTopology, type TestTopology } from '@rxlet/machine/testing';
import { memoryManager } from '@rxlet/memory-manager';
import { manifestPod } from '@rxlet/pod-model/testing';
import { topologyManager } from '@rxlet/topology-manager';
import { describe, expect, it } from 'vitest';
import { createTestNode, type TestNode } from '../test-node.ts';

/** A pod whose container requests these amounts, and has them as limits unless it is burstable. */
function podWith(name: string, cpu: string, more: Partial<Container> & { readonly memory?: string } = {}): Pod {
  const { memory = '64Mi', ...container } = more;
  const amounts = { cpu, memory };
  return manifestPod(name, {
    containers: [{ name: 'app', image: 'app:1', resources: { requests: amounts, limits: amounts }, ...container }],
  });
}

const burstable = (name: string): Pod => podWith(name, '100m', { resources: { requests: { cpu: '100m' } } });

/** Modules of a machine with this shape: 4 CPUs on one NUMA node by default, of which one is reserved. */
function managers(
  shape: TestTopology = {},
  cpus: CpuManagerModuleOptions = {},
  topology: Parameters<typeof topologyManager>[0] = {},
) {
  const readTopology = async () => createTestTopology(shape);
  return [
    topologyManager({ readTopology, ...topology }),
    cpuManager({ policy: 'static', systemReserved: { cpu: '500m' }, readTopology, ...cpus }),
  ];
}

const resourcesOf = (node: TestNode, pod: string) => node.instances(pod).at(-1)?.resources?.linux;
const cpusOf = (node: TestNode, pod: string): string | undefined => resourcesOf(node, pod)?.cpusetCpus;
const statusOf = (node: TestNode, name: string) =>
  node
    .agent()
    .pods.list()
    .find(({ metadata }) => metadata?.name?.startsWith(name))?.status;
const stateFile = (node: TestNode, name: string): unknown => JSON.parse(node.files.text(`/root/${name}`) ?? 'null');

describe('exclusive CPUs', () => {
  it('belong to their container alone, stay over a kill, and are shared again when their pod has ended', async () => {
    await using node = createTestNode();
    await node.start({ modules: managers() });
    node.desire(burstable('shared'));
    await node.until(() => node.running().includes('shared/app'));
    expect(cpusOf(node, 'shared')).toBe('0-3');

    node.desire(burstable('shared'), podWith('pinned', '2'));
    await node.until(() => node.running().includes('pinned/app'));
    expect(cpusOf(node, 'pinned')).toBe('1-2');
    await node.until(() => cpusOf(node, 'shared') === '0,3', 1_000);

    await node.kill();
    const updates = node.fake.calls.get('updateContainerResources') ?? 0;
    await node.start({ modules: managers() });
    await node.advance(15_000);
    expect(node.startsMs('pinned')).toHaveLength(1);
    // A runtime may have lost them, so each container is updated once.
    expect(node.fake.calls.get('updateContainerResources')).toBe(updates + 2);
    expect([cpusOf(node, 'pinned'), cpusOf(node, 'shared')]).toEqual(['1-2', '0,3']);

    node.desire(burstable('shared'), podWith('pinned', '2'), podWith('large', '3'));
    await node.untilPhase('large', 'Failed');
    expect(statusOf(node, 'large')).toMatchObject({
      reason: 'UnexpectedAdmissionError',
      message: expect.stringContaining(
        'Allocate failed due to not enough cpus available to satisfy request: requested=3, available=1, which is unexpected',
      ) as string,
    });
    node.desire(burstable('shared'));
    await node.until(() => cpusOf(node, 'shared') === '0-3');
    expect(node.running()).toEqual(['shared/app']);
    node.desire(burstable('shared'), podWith('next', '3'));
    await node.until(() => node.running().includes('next/app'));
    expect(cpusOf(node, 'next')).toBe('1-3');
    await node.until(() => cpusOf(node, 'shared') === '0', 1_000);
    node.desire(burstable('shared'));
    await node.until(() => cpusOf(node, 'shared') === '0-3');
    expect(stateFile(node, 'cpu_manager_state')).toMatchObject({ policyName: 'static', defaultCpuSet: '0-3' });
    await node.expectNoLeaks();
  });
});

describe('the time of exclusive CPUs', () => {
  it.each([
    { limitsExclusiveCpus: false, container: -1n, pods: ['pinned: -1'] },
    { limitsExclusiveCpus: true, container: 200_000n, pods: [] },
  ])(
    'has no quota unless the gate is off: $limitsExclusiveCpus',
    async ({ limitsExclusiveCpus, container, pods: expected }) => {
      await using node = createTestNode();
      const written: string[] = [];
      const quotas = new Map<string, number>();
      const nameOf = ({ metadata }: Pod): string => metadata!.name!.replace(/-node1$/, '');
      const cgroups: PodCgroups = {
        parentOf: () => '',
        podsPath: () => undefined,
        read: async (pod) => ({
          cpuShares: 1024,
          cpuQuotaUs: quotas.get(nameOf(pod)) ?? 200_000,
          cpuPeriodUs: 100_000,
          memoryLimitBytes: -1,
        }),
        async write(pod, { cpuQuotaUs = 0 }) {
          quotas.set(nameOf(pod), cpuQuotaUs);
          written.push(`${nameOf(pod)}: ${String(cpuQuotaUs)}`);
        },
      };
      const cgroupsModule: AgentModule = {
        name: 'cgroups',
        provides: [podCgroups],
        setup: () => ({ services: [provide(podCgroups, cgroups)] }),
      };
      await node.start({ modules: [cgroupsModule, ...managers({}, { limitsExclusiveCpus })] });
      node.desire(podWith('shared', '100m'), podWith('pinned', '2'));
      await node.until(() => node.running().length === 2);
      await node.advance(120_000);
      expect(resourcesOf(node, 'pinned')?.cpuQuota).toBe(container);
      expect(resourcesOf(node, 'shared')?.cpuQuota).toBe(10_000n);
      expect(written).toEqual(expected);
    },
  );
});

describe('a node that was a kubelet with the policy static', () => {
  /** As a kubelet 1.36 writes it. Left to itself, the agent would choose other CPUs. */
  const kubeletState = (uid: string): string =>
    formatCpuState({
      policyName: 'static',
      shared: new Set([0, 1]),
      assignments: new Map([[uid, new Map([['app', new Set([2, 3])]])]]),
    });

  it('keeps every assignment, without a restart of a container', async () => {
    await using node = createTestNode();
    const pod = podWith('pinned', '2');
    await node.start({ without: ['cpu-manager', 'topology-manager', 'memory-manager'] });
    node.desire(pod, burstable('shared'));
    await node.until(() => node.running().length === 2);
    await node.kill();
    node.files.put('/root/cpu_manager_state', kubeletState(pod.metadata!.uid!));
    await node.start({ modules: managers() });
    await node.until(() => cpusOf(node, 'pinned') === '2-3' && cpusOf(node, 'shared') === '0-1', 15_000);
    expect([node.startsMs('pinned').length, node.startsMs('shared').length]).toEqual([1, 1]);
    expect(node.files.text('/root/cpu_manager_state')).toBe(kubeletState(pod.metadata!.uid!));
  });

  it.each<[string, string, CpuManagerModuleOptions, string]>([
    ['damaged', '{"policyName":"static"', {}, 'could not restore state from checkpoint: the content is not JSON'],
    ['of the other policy', kubeletState('u'), { policy: 'none' }, 'configured policy "none" differs from state'],
    ['of another machine', kubeletState('u').replace('"2-3"', '"2-9"'), {}, 'checkpoint is corrupted'],
    ['of other reserved CPUs', kubeletState('u'), { reservedSystemCpus: '3' }, 'not all reserved cpus: "3"'],
  ])('does not start with a state file that is %s', async (_, text, options, problem) => {
    await using node = createTestNode();
    node.files.put('/root/cpu_manager_state', text);
    await expect(node.start({ modules: managers({}, options) })).rejects.toThrow(problem);
    await expect(node.start({ modules: managers({}, options) })).rejects.toThrow(
      'please drain this node and delete the CPU manager checkpoint file "/root/cpu_manager_state"',
    );
  });

  it.each<[CpuManagerModuleOptions, string]>([
    [
      { systemReserved: {} },
      'the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero',
    ],
    [{ reservedSystemCpus: '9' }, 'unknown CPU ID: 9'],
    [{ policy: 'fast' }, '[cpumanager] unknown policy: "fast"'],
    [{ policyOptions: { 'align-by-socket': 'true' } }, 'Alpha-level Options not enabled'],
    [{ policy: 'none', policyOptions: { 'full-pcpus-only': 'true' } }, 'does not have the options full-pcpus-only'],
  ])('does not start with %j', async (options, problem) => {
    await using node = createTestNode();
    await expect(node.start({ modules: managers({}, options) })).rejects.toThrow(problem);
    await node.expectNoLeaks();
  });
});

describe('resources that were chosen for a pod whose devices are not allocated yet', () => {
  const readTopology = async () => createTestTopology({ nodeMemoryBytes: 4 * 2 ** 30 });
  const memory = memoryManager({
    policy: 'Static',
    reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
    systemReserved: { memory: '1Gi' },
    machine: createTestMachine(),
    readTopology,
  });

  it.each([
    ['CPUs', managers()[1]!, { cpu: '2', memory: '64Mi' }],
    ['memory', memory, { cpu: '500m', memory: '2Gi' }],
  ])('%s are not taken by a pod that comes later', async (_name, assigning, { cpu, memory: amount }) => {
    await using node = createTestNode();
    const allocated = Promise.withResolvers<undefined>();
    const slowDevices: AgentModule = {
      name: 'slow-devices',
      needs: [topologyAlignment],
      setup({ services }) {
        const mayTakeLong = ({ metadata }: Pod): boolean => metadata?.name?.startsWith('slow') === true;
        services.get(topologyAlignment).addProvider({
          containerHints: () => undefined,
          podHints: () => undefined,
          allocate: (pod) => (mayTakeLong(pod) ? allocated.promise : undefined),
          mayTakeLong,
        });
        return {};
      },
    };
    const aligned = topologyManager({ policy: 'single-numa-node', readTopology });
    await node.start({ modules: [aligned, slowDevices, assigning] });
    const pods = [podWith('slow', cpu, { memory: amount }), podWith('later', cpu, { memory: amount })];
    node.desire(...pods, burstable('shared'));
    await node.until(() => node.running().includes('shared/app'));
    await node.advance(5_000);
    expect(node.running()).toEqual(['shared/app']);
    allocated.resolve(undefined);
    await node.until(() => node.running().includes('slow/app'));
    await node.untilPhase('later', 'Failed');
  });
});

describe('resources of NUMA nodes', () => {
  const twoNodes = { sockets: 2, threadsOfCores: [1, 1, 1] };

  it('come from one node, or the pod is rejected', async () => {
    await using node = createTestNode();
    const policy = { policy: 'single-numa-node' };
    await node.start({ modules: managers(twoNodes, {}, policy) });
    node.desire(podWith('first', '2'), podWith('second', '2'));
    await node.until(() => node.running().length === 2);
    expect([cpusOf(node, 'first'), cpusOf(node, 'second')]).toEqual(['1-2', '3-4']);
    // One CPU is left, and three are on no single node.
    node.desire(podWith('first', '2'), podWith('second', '2'), podWith('third', '4'), podWith('fourth', '1'));
    await node.until(() => node.running().includes('fourth/app'));
    expect(statusOf(node, 'third')).toMatchObject({
      phase: 'Failed',
      reason: 'TopologyAffinityError',
      message: expect.stringContaining('Resources cannot be allocated with Topology locality') as string,
    });
    expect(cpusOf(node, 'fourth')).toBe('5');
  });

  it('do not stay in the state files when a rejected pod is replaced by another one', async () => {
    await using node = createTestNode();
    const policy = { policy: 'single-numa-node' };
    await node.start({ modules: managers(twoNodes, {}, policy) });
    const rejected = manifestPod('rejected', {
      containers: ['1', '4'].map((cpu) => ({ ...podWith('any', cpu).spec!.containers[0]!, name: `cpus-${cpu}` })),
    });
    node.desire(rejected);
    await node.untilPhase('rejected', 'Failed');
    // The admission of this pod releases the CPUs of the other one before housekeeping does.
    node.desire(podWith('next', '500m'));
    await node.until(() => node.running().includes('next/app'));
    await node.advance(5_000);
    const { entries, defaultCpuSet } = stateFile(node, 'cpu_manager_state') as Record<string, unknown>;
    expect([entries, defaultCpuSet]).toEqual([undefined, '0-5']);
  });

  it('exclude parts of cores with full-pcpus-only', async () => {
    await using node = createTestNode();
    const options = { policyOptions: { 'full-pcpus-only': 'true' }, reservedSystemCpus: '0-1' };
    await node.start({ modules: managers({ threadsOfCores: [2, 2] }, options) });
    node.desire(podWith('odd', '1'));
    await node.untilPhase('odd', 'Failed');
    expect(statusOf(node, 'odd')).toMatchObject({
      reason: 'SMTAlignmentError',
      message: expect.stringContaining('requested 1 cpus not multiple cpus per core = 2') as string,
    });
  });

  it('give containers their memory, which init containers leave to those after them', async () => {
    await using node = createTestNode();
    const GiB = 2 ** 30;
    const readTopology = async () => createTestTopology({ sockets: 2, nodeMemoryBytes: 4 * GiB });
    const modules = () => [
      topologyManager({ readTopology }),
      memoryManager({
        policy: 'Static',
        reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
        systemReserved: { memory: '1Gi' },
        machine: createTestMachine(),
        readTopology,
      }),
    ];
    await node.start({ modules: modules() });
    const large = { requests: { cpu: '1', memory: '4Gi' }, limits: { cpu: '1', memory: '4Gi' } };
    const pod = manifestPod('large', {
      initContainers: [{ name: 'init', image: 'app:1', resources: large }],
      containers: [{ name: 'app', image: 'app:1', resources: large }],
    });
    node.desire(pod);
    await node.until(() => node.running().includes('large/init'));
    node.fake.exitContainer(node.instances('large', 'init').at(-1)!.id, 0);
    await node.until(() => node.running().includes('large/app'));
    expect(resourcesOf(node, 'large')?.cpusetMems).toBe('1');
    await node.kill();
    await node.start({ modules: modules() });
    await node.advance(5_000);
    expect(node.startsMs('large')).toHaveLength(1);
    expect(stateFile(node, 'memory_manager_state')).toMatchObject({
      policyName: 'Static',
      machineState: { 1: { memoryMap: { memory: { free: 0, reserved: 4 * GiB } } } },
      entries: { [pod.metadata!.uid!]: { app: [{ numaAffinity: [1], type: 'memory', size: 4 * GiB }] } },
    });
    node.desire(pod, podWith('next', '1', { memory: '4Gi' }));
    await node.untilPhase('next', 'Failed');
    expect(statusOf(node, 'next')?.message).toContain('no NUMA nodes with enough memory is available');
    node.desire(podWith('fits', '1', { memory: '3Gi' }));
    await node.until(() => node.running().includes('fits/app'));
    expect(resourcesOf(node, 'fits')?.cpusetMems).toBe('0');
  });
});
