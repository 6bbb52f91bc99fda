import { otherPods } from '@rxlet/agent-api';
import { createEventLog } from '@rxlet/component-base/events';
import {
  createVirtualClock,
  recordingLogger,
  recordingMetrics,
  type VirtualClock,
} from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { createTestMachine } from '@rxlet/machine/testing';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ContainerManager, type ContainerManagerPorts, createContainerManager } from './container-manager.ts';
import type { ContainerManagerOptions } from './container-manager-options.ts';
import { SystemCheckError } from './system/system-check-error.ts';
import type { SystemdSlices } from './systemd/slices.ts';
import { createMemoryCgroups, type MemoryCgroups, type MemoryCgroupsOptions } from './testing/memory-cgroups.ts';
import { CgroupsUnavailable } from './tree/cgroup-file-system.ts';

const MACHINE = createTestMachine({
  facts: {
    cores: 4,
    memoryBytes: 8 * 1024 ** 3,
    hugePages: [{ sizeBytes: 2 * 1024 ** 2, count: 512 }],
    maxProcesses: 32_768,
  },
  fileSystemBytes: 100 * 1024 ** 3,
});

interface Bench {
  readonly clock: VirtualClock;
  readonly cgroups: MemoryCgroups;
  readonly manager: ContainerManager;
  readonly pods: Pod[];
  readonly warnings: () => readonly string[];
  readonly events: () => readonly string[];
}

function bench(
  options: Partial<ContainerManagerOptions> = {},
  cgroupsOptions: MemoryCgroupsOptions = { version: 1 },
  unavailable?: Error,
  ports: Partial<ContainerManagerPorts> = {},
): Bench {
  const clock = createVirtualClock();
  const cgroups = createMemoryCgroups(cgroupsOptions);
  const logger = recordingLogger();
  const events = createEventLog(clock);
  const pods: Pod[] = [];
  const manager = createContainerManager(
    {
      openCgroups: unavailable === undefined ? async () => cgroups : () => Promise.reject(unavailable),
      machine: MACHINE,
      sumOfActivePods: (amountsOf, name) => otherPods(pods).sum(amountsOf, name),
      clock,
      events,
      logger,
      ...ports,
    },
    { nodeName: 'node1', rootDirectory: '/root', ...options },
  );
  onTestFinished(() => manager[Symbol.asyncDispose]());
  return {
    clock,
    cgroups,
    manager,
    pods,
    warnings: () => logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message),
    events: () => events.list().map(({ reason, message }) => `${reason}: ${message}`),
  };
}

const burstable = (name: string, cpu: string): Pod =>
  testPod({ name, containers: [{ resources: { requests: { cpu } } }] });

describe('the container manager', () => {
  it('creates the tree at its start and the cgroup of a pod before its containers', async () => {
    const { manager, cgroups, pods, events } = bench({ systemReserved: { memory: '1Gi', cpu: '500m', pid: '1000' } });
    await manager.start();
    expect(cgroups.paths()).toEqual(['/kubepods', '/kubepods/besteffort', '/kubepods/burstable']);
    expect(cgroups.files('/kubepods')).toMatchObject({
      'cpu.shares': '3584',
      'memory.limit_in_bytes': String(7 * 2 ** 30),
      'pids.max': '31768',
      'cpuset.cpus': '0-3',
    });
    expect(events()).toEqual(['NodeAllocatableEnforced: Updated Node Allocatable limit across pods']);
    const pod = burstable('web', '250m');
    pods.push(pod);
    await manager.ensurePod(pod);
    expect(manager.podCgroups.parentOf(pod)).toBe('/kubepods/burstable/poduid-web');
    expect(cgroups.files('/kubepods/burstable/poduid-web')).toMatchObject({ 'cpu.shares': '256' });
    expect(cgroups.files('/kubepods/burstable')).toMatchObject({ 'cpu.shares': '256' });
  });

  it('protects requested memory by class with memory QoS, and counts it', async () => {
    const metrics = recordingMetrics();
    const memoryQos = { reservationPolicy: 'TieredReservation' } as const;
    const { manager, cgroups, pods, warnings } = bench({ memoryQos }, { version: 2 }, undefined, { metrics });
    await manager.start();
    const guaranteed = { cpu: '1', memory: '1Gi' };
    pods.push(
      testPod({ name: 'a', containers: [{ resources: { requests: guaranteed, limits: guaranteed } }] }),
      testPod({ name: 'b', containers: [{ resources: { requests: { memory: '2Gi' } } }] }),
      testPod({ name: 'c', containers: [{}] }),
    );
    for (const pod of pods) await manager.ensurePod(pod);
    await manager.updateQos();
    expect(cgroups.files('/kubepods')).toMatchObject({ 'memory.min': String(3 * 2 ** 30) });
    expect(cgroups.files('/kubepods/burstable')).toMatchObject({ 'memory.low': String(2 * 2 ** 30) });
    expect(cgroups.files('/kubepods/poduid-a')).toMatchObject({ 'memory.min': String(2 ** 30) });
    expect(cgroups.files('/kubepods/burstable/poduid-b')).toMatchObject({ 'memory.low': String(2 * 2 ** 30) });
    expect(cgroups.files('/kubepods/besteffort/poduid-c')).not.toHaveProperty('memory.low');
    for (const pod of pods) expect(cgroups.files(manager.podCgroups.parentOf(pod))).not.toHaveProperty('memory.high');
    expect(Object.fromEntries(metrics.values)).toMatchObject({
      kubelet_memory_qos_node_memory_min_bytes: 2 ** 30,
      kubelet_memory_qos_node_memory_low_bytes: 2 * 2 ** 30,
    });
    expect(warnings()).toEqual([]);
  });

  it.each([
    [1, '6.12.0', ['memory QoS has no effect with cgroup v1']],
    [2, '5.8.18', ['throttling of memory may block processes on kernels before 5.9']],
    [2, '5.10.0-39-amd64', []],
  ] as const)('warns where memory QoS cannot work: cgroup v%i, kernel %s', async (version, kernelVersion, expected) => {
    const machine = createTestMachine({ facts: { kernelVersion } });
    const { manager, warnings } = bench({ memoryQos: { reservationPolicy: 'None' } }, { version }, undefined, {
      machine,
    });
    await manager.start();
    expect(warnings()).toEqual(expected);
  });

  it('checks the node before anything is created', async () => {
    const { manager, cgroups } = bench({ failSwapOn: true }, undefined, undefined, { isSwapOn: async () => true });
    await expect(manager.start()).rejects.toThrow(SystemCheckError);
    expect(cgroups.paths()).toEqual([]);
  });

  it.each([
    ['keeps the values of a cgroup with containers', '/sandbox', undefined],
    ['sets the values of a cgroup without containers, whose creation may have been interrupted', '', '2'],
  ])('%s after a restart', async (_, child, shares) => {
    const path = '/kubepods/besteffort/poduid-web';
    const { manager, cgroups } = bench({}, { version: 1, existing: [path + child] });
    await manager.start();
    await manager.ensurePod(testPod({ name: 'web' }));
    expect(cgroups.files(path)['cpu.shares']).toBe(shares);
  });

  it('counts each pod of an earlier agent in the shares of its class once it is known', async () => {
    const existing = ['/kubepods/burstable/poduid-a', '/kubepods/burstable/poduid-b'];
    const { manager, cgroups, pods } = bench({}, { version: 1, existing });
    const shares = () => cgroups.files('/kubepods/burstable')['cpu.shares'];
    await manager.start();
    for (const [name, expected] of [
      ['a', '256'],
      ['b', '512'],
    ] as const) {
      const pod = burstable(name, '250m');
      pods.push(pod);
      await manager.ensurePod(pod);
      expect(shares()).toBe(expected);
    }
    // A pod that is known needs no update with each of its syncs.
    pods.length = 0;
    await manager.ensurePod(burstable('a', '250m'));
    expect(shares()).toBe('512');
  });

  it('names cgroups as systemd does, if the runtime uses systemd', async () => {
    const { manager, cgroups } = bench({ cgroupDriver: 'systemd' }, { version: 2 });
    await manager.start();
    const pod = testPod({ name: 'web', uid: 'a-b' });
    await manager.ensurePod(pod);
    expect(manager.podCgroups.parentOf(pod)).toBe('kubepods-besteffort-poda_b.slice');
    expect(cgroups.paths()).toContain('/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-poda_b.slice');
    await manager.removePods({ isKept: (uid) => uid !== 'a-b', hasVolumes: async () => false });
    expect(cgroups.paths().filter((path) => path.includes('pod'))).toEqual(
      cgroups.paths().filter((path) => !path.includes('poda_b')),
    );
  });

  it('lets systemd start, set and stop the slices, if the runtime uses systemd', async () => {
    const calls: string[] = [];
    const openSlices = async (): Promise<SystemdSlices> => ({
      start: async (slice) => void calls.push(`start ${slice}`),
      setProperties: async (slice, properties) => void calls.push(`set ${slice} ${properties.at(-1)!}`),
      stop: async (slice) => void calls.push(`stop ${slice}`),
    });
    const { manager } = bench({ cgroupDriver: 'systemd' }, { version: 2 }, undefined, { openSlices });
    await manager.start();
    calls.length = 0;
    await manager.ensurePod(burstable('web', '1'));
    await manager.removePod('uid-web');
    const slice = 'kubepods-burstable-poduid_web.slice';
    expect(calls.filter((call) => call.includes(slice))).toEqual([
      `start ${slice}`,
      `set ${slice} CPUWeight=39`,
      `stop ${slice}`,
    ]);
  });

  it('updates the QoS classes every minute, and repairs what others changed', async () => {
    const { manager, cgroups, clock, pods } = bench();
    await manager.start();
    pods.push(burstable('web', '1'));
    await clock.advance(60_000);
    expect(cgroups.files('/kubepods/burstable')['cpu.shares']).toBe('1024');
    await cgroups.write('/kubepods/burstable', { controller: 'cpu', file: 'cpu.shares', content: '2' });
    await clock.advance(60_000);
    expect(cgroups.files('/kubepods/burstable')['cpu.shares']).toBe('1024');
  });

  it('kills what is left in the cgroup of a pod, in several rounds, and removes it with its children', async () => {
    const { manager, cgroups, clock } = bench();
    await manager.start();
    await manager.ensurePod(testPod({ name: 'web' }));
    cgroups.putProcess('/kubepods/besteffort/poduid-web/container', 10, 2);
    cgroups.putProcess('/kubepods/besteffort/poduid-web', 11);
    let isDone = false;
    const removal = manager.removePod('uid-web').then(() => (isDone = true));
    await clock.runUntil(() => isDone);
    await removal;
    expect(cgroups.paths()).toEqual(['/kubepods', '/kubepods/besteffort', '/kubepods/burstable']);
  });

  it('reports a cgroup whose process does not end', async () => {
    const { manager, cgroups, clock } = bench();
    await manager.start();
    cgroups.putProcess('/kubepods/poduid-web', 10, 1000);
    let failure: unknown;
    const removal = manager.removePod('uid-web').catch((error: unknown) => (failure = error));
    await clock.runUntil(() => failure !== undefined);
    await removal;
    expect(failure).toMatchObject({ code: 'EBUSY' });
  });

  it('removes the cgroups of stopped pods, and throttles those with volumes', async () => {
    const pod = (name: string): string => `/kubepods/burstable/pod${name}`;
    const existing = [pod('gone'), pod('kept'), pod('mounted'), '/kubepods/besteffort/other'];
    const { manager, cgroups } = bench({}, { version: 1, existing });
    await manager.start();
    await manager.removePods({ isKept: (uid) => uid === 'kept', hasVolumes: async (uid) => uid === 'mounted' });
    expect(cgroups.paths()).toEqual([
      '/kubepods',
      '/kubepods/besteffort',
      '/kubepods/besteffort/other',
      '/kubepods/burstable',
      pod('kept'),
      pod('mounted'),
    ]);
    expect(cgroups.files(pod('mounted'))).toEqual({ 'cpu.shares': '2' });
  });

  it('lets pods run without cgroups where it cannot manage them, and logs that once', async () => {
    const { manager, warnings, cgroups } = bench({}, {}, new CgroupsUnavailable('EACCES: permission denied'));
    await manager.start();
    const pod = testPod();
    await manager.ensurePod(pod);
    await manager.removePod('uid-web');
    await manager.updateQos();
    expect(manager.podCgroups.parentOf(pod)).toBe('');
    expect(await manager.podCgroups.read(pod)).toBeUndefined();
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).toContain('cannot manage cgroups: pods run in cgroups that the runtime chooses');
    expect(cgroups.paths()).toEqual([]);
    expect(manager.resources.capacity()).toMatchObject({ cpu: '4' });
  });

  it('lets pods run without cgroups where the kernel rejects their creation', async () => {
    const { manager, warnings, cgroups } = bench();
    cgroups.fail('create', '/kubepods', new Error('EBUSY: device or resource busy'));
    await manager.start();
    expect(manager.podCgroups.parentOf(testPod())).toBe('');
    expect(warnings()).toHaveLength(1);
  });

  it('retries a limit that the present usage exceeds', async () => {
    const { manager, cgroups, clock, events } = bench({}, { version: 1, existing: ['/kubepods'] });
    cgroups.setMemoryUsage('/kubepods', 2 ** 40);
    await manager.start();
    expect(events()[0]).toMatch(
      /^FailedNodeAllocatableEnforcement: Failed to update Node Allocatable Limits "\/kubepods"/,
    );
    cgroups.setMemoryUsage('/kubepods', 0);
    await clock.advance(60_000);
    expect(events().at(-1)).toBe('NodeAllocatableEnforced: Updated Node Allocatable limit across pods');
    expect(cgroups.files('/kubepods')['memory.limit_in_bytes']).toBe(String(8 * 2 ** 30));
  });

  it('does not start without the cgroup of reserved resources, or below a root that is missing', async () => {
    const reserved = bench({
      enforceNodeAllocatable: ['pods', 'system-reserved'],
      systemReserved: { memory: '1Gi' },
      systemReservedCgroup: '/system.slice',
    });
    await expect(reserved.manager.start()).rejects.toThrow(
      'Failed to enforce System Reserved Cgroup Limits on "/system.slice": cgroup /system.slice does not exist',
    );
    await expect(bench({ cgroupRoot: '/missing' }).manager.start()).rejects.toThrow('cgroup-root "/missing"');
  });

  it.each([
    ['system-reserved', 'System', 'system'],
    ['system-reserved-compressible', 'System', 'system'],
    ['kube-reserved', 'Kube', 'kube'],
    ['kube-reserved-compressible', 'Kube', 'kube'],
  ] as const)('does not start with %s enforced while nothing is reserved', async (enforcement, label, owner) => {
    const reserved = {
      enforceNodeAllocatable: ['pods', enforcement],
      systemReservedCgroup: '/own',
      kubeReservedCgroup: '/own',
    } as const;
    const { manager, cgroups, events } = bench(reserved, { existing: ['/own'] });
    const message = `Failed to enforce ${label} Reserved Cgroup Limits on "/own": ${owner}Reserved reserves no resources`;
    await expect(manager.start()).rejects.toThrow(message);
    expect(events().at(-1)).toBe(`FailedNodeAllocatableEnforcement: ${message}`);
    expect(cgroups.files('/own')).toEqual({});
  });

  it('rejects more reservations than the machine has', async () => {
    await expect(bench({ kubeReserved: { memory: '9Gi' } }).manager.start()).rejects.toThrow(
      'Resource "memory" has a reservation of 9Gi but capacity of 8Gi. Expected capacity >= reservation.',
    );
    expect(() => bench({ kubeReserved: { gpu: '1' } })).toThrow('kubeReserved: cannot reserve gpu');
    expect(() => bench({ qosReserved: { memory: '101%' } })).toThrow('it must be between 0 and 100');
  });

  it('reports the resources of the node', async () => {
    const { manager } = bench({
      kubeReserved: { cpu: '500m' },
      evictionHard: { 'memory.available': '1Gi', 'nodefs.available': '10%', 'pid.available': '5%' },
      maxPods: 100,
      podsPerCore: 10,
    });
    expect(manager.resources.capacity()).toEqual({});
    await manager.start();
    expect(manager.resources.capacity()).toEqual({
      cpu: '4',
      memory: '8Gi',
      'ephemeral-storage': '100Gi',
      'hugepages-2Mi': '1Gi',
      pods: '40',
    });
    expect(manager.resources.allocatable()).toEqual({
      cpu: '3500m',
      memory: '6Gi',
      // A tenth as a 32-bit fraction, as in the kubelet.
      'ephemeral-storage': '96636764000',
      'hugepages-2Mi': '1Gi',
      pods: '40',
    });
  });

  it('reads and writes the values of a pod for a resize', async () => {
    for (const version of [1, 2] as const) {
      const { manager } = bench({}, { version });
      await manager.start();
      const resources = { requests: { cpu: '1', memory: '64Mi' }, limits: { cpu: '1', memory: '64Mi' } };
      const pod = testPod({ containers: [{ resources }] });
      await manager.ensurePod(pod);
      const values = { cpuQuotaUs: 100_000, cpuPeriodUs: 100_000, memoryLimitBytes: 64 * 2 ** 20 };
      expect(await manager.podCgroups.read(pod)).toMatchObject(values);
      await manager.podCgroups.write(pod, { memoryLimitBytes: 128 * 2 ** 20 });
      expect(await manager.podCgroups.read(pod)).toMatchObject({ ...values, memoryLimitBytes: 128 * 2 ** 20 });
    }
  });
});
