import { describe, expect, it } from 'vitest';
import type { HistoryFact } from '../history/history.ts';
import type { HealthKind } from '../workload/health.ts';
import {
  agent,
  call,
  container,
  criticalPod,
  desire,
  power,
  pressure,
  running,
  sandbox,
  status,
  stop,
  terminate,
  type Timed,
  violated,
} from './test-support.ts';

const critical: HistoryFact = { kind: 'desired', pod: criticalPod };
const undesired: HistoryFact = { kind: 'undesired', uid: 'u', graceSeconds: undefined };
const capacity = { cpuMillis: 4_000, memoryBytes: 8 * 2 ** 30 };
const allocated = (cpuMillis: number): HistoryFact => ({
  kind: 'allocated',
  pods: { u: { cpuMillis, memoryBytes: 0 } },
  capacity,
});
const given = (id: string): HistoryFact => ({ kind: 'devices', uid: 'u', container: id, devices: ['d0'] });
const assigned = (cpus: readonly number[], running: readonly string[] = []): HistoryFact => ({
  kind: 'cpus',
  assigned: cpus.length > 0 ? { 'u/app': cpus } : {},
  running,
});
const twice = (...keys: readonly string[]): HistoryFact => ({
  kind: 'cpus',
  assigned: Object.fromEntries(keys.map((key) => [key, [1]])),
  running: [],
});
/** The agent has recorded memory of two NUMA nodes with two bytes each. */
const shared = (
  shares: Readonly<Record<string, readonly [bytes: number, ...numaNodes: number[]]>>,
  runningKeys: readonly string[] = [],
): HistoryFact => ({
  kind: 'memory',
  assigned: Object.fromEntries(
    Object.entries(shares).map(([key, [bytes, ...numaNodes]]) => [key, { bytes, numaNodes }]),
  ),
  available: [2, 2],
  running: runningKeys,
});
const other = { id: 'c1', uid: 'v' };
const prepared = (claim: string, device = 'own0'): HistoryFact => ({
  kind: 'claim',
  change: 'prepared',
  claim,
  device,
});
const unprepared = (claim: string, device = 'own0'): HistoryFact => ({
  kind: 'claim',
  change: 'unprepared',
  claim,
  device,
});
const reserved = (uid: string): HistoryFact => ({ kind: 'claim-user', change: 'reserved', claim: 'a', uid });
const released = (uid: string): HistoryFact => ({ kind: 'claim-user', change: 'released', claim: 'a', uid });
const claimsGiven: HistoryFact = { kind: 'claims-given', uid: 'u', container: 'c0', claims: ['a'] };
/** The pod with a claim, whose container is about to start. */
const claiming: readonly HistoryFact[] = [
  desire({ claims: { app: 1 } }),
  reserved('u'),
  sandbox,
  prepared('a'),
  container('created'),
  claimsGiven,
];
const checkpointDamaged: HistoryFact = {
  kind: 'damaged',
  path: '/root/device-plugins/kubelet_internal_checkpoint',
  how: 'lose',
};

/** Histories with the properties that they violate. */
type Case = readonly [description: string, facts: readonly Timed[], expected: readonly string[]];

describe('resources of a node', () => {
  it.each<Case>([
    ['accept allocations that fit', [...running, allocated(4_000)], []],
    ['reject more than the node has for pods that run', [...running, allocated(4_001)], ['allocations-fit']],
    ['accept more than the node has for pods that do not run', [desire(), allocated(4_001)], []],
    [
      'accept more than the node has for pods that were deleted by force',
      [...running, { kind: 'undesired', uid: 'u', graceSeconds: 0 }, allocated(4_001)],
      [],
    ],
    [
      'accept more than the node has for a static pod that no source has any more',
      [desire({ isStatic: true }), ...running.slice(1), undesired, allocated(4_001)],
      [],
    ],
    [
      'reject more than the node has for a pod that is being deleted',
      [...running, undesired, allocated(4_001)],
      ['allocations-fit'],
    ],
    [
      'reject more than the node has while a pre-emption waits for a pod',
      [...running, desire({ graceSeconds: 8 }), critical, terminate('pre-empted'), [11_999, allocated(4_001)]],
      ['allocations-fit'],
    ],
    [
      'accept more than the node has once a pre-emption has waited for a pod in vain',
      [...running, desire({ graceSeconds: 8 }), critical, terminate('pre-empted'), [12_000, allocated(4_001)]],
      [],
    ],
    [
      'accept more than the node has once the first of two pre-emptions has waited for a pod in vain',
      [
        ...running,
        desire({ graceSeconds: 8 }),
        critical,
        terminate('pre-empted'),
        [11_000, terminate('pre-empted')],
        [1_000, allocated(4_001)],
      ],
      [],
    ],
    [
      'accept more than the node has for a static pod that comes before a running pod is reported',
      [agent('started'), container('started', other), desire({ isStatic: true }), ...running, allocated(4_001)],
      [],
    ],
    [
      'accept more than the node has for a static pod that comes while no agent runs',
      [agent('killed'), desire({ isStatic: true }), agent('started'), ...running, allocated(4_001)],
      [],
    ],
    [
      'reject more than the node has for a static pod that comes later',
      [
        agent('started'),
        container('started', other),
        status('Running', { uid: 'v' }),
        desire({ isStatic: true }),
        ...running,
        allocated(4_001),
      ],
      ['allocations-fit'],
    ],
    [
      'accept more than the node has for a static pod that starts with the agent',
      [desire({ isStatic: true }), agent('killed'), agent('started'), ...running, allocated(4_001)],
      [],
    ],
    [
      'accept more than the node has for a static pod whose allocation was lost',
      [
        desire({ isStatic: true }),
        ...running.slice(1),
        { kind: 'damaged', path: '/root/allocated_pods_state', how: 'tear' },
        allocated(4_001),
      ],
      [],
    ],
    [
      'reject more than the node has for a static pod that has been running',
      [...running, desire({ isStatic: true }), agent('killed'), agent('started'), allocated(4_001)],
      ['allocations-fit'],
    ],
    [
      'reject a device of two running containers',
      [given('c0'), given('c1'), ...running, container('started', other)],
      ['devices-given-once'],
    ],
    [
      'accept a device of a container that has exited',
      [given('c0'), given('c1'), ...running, container('exited'), container('started', other)],
      [],
    ],
    ['accept CPUs that a running container keeps', [assigned([1, 2]), assigned([1, 2], ['u/app'])], []],
    ['reject CPUs that a running container loses', [assigned([1, 2]), assigned([], ['u/app'])], ['cpus-kept']],
    ['reject CPUs that change under a running container', [assigned([1]), assigned([2], ['u/app'])], ['cpus-kept']],
    ['accept the release of CPUs after the end of their container', [assigned([1, 2]), assigned([])], []],
    ['reject a CPU of two containers', [twice('u/app', 'v/app')], ['cpus-kept']],
    ['accept a CPU of two containers of one pod', [twice('u/app', 'u/setup')], []],
    ['accept all memory of each NUMA node', [shared({ 'u/app': [2, 0], 'v/app': [1, 1], 'w/app': [1, 1] })], []],
    ['accept memory of two NUMA nodes', [shared({ 'u/app': [3, 0, 1], 'v/app': [1, 0, 1] })], []],
    ['reject more memory than a NUMA node has', [shared({ 'u/app': [2, 1], 'v/app': [1, 1] })], ['memory-kept']],
    [
      'reject more memory than two NUMA nodes have together',
      [shared({ 'u/app': [3, 0, 1], 'v/app': [2, 0] })],
      ['memory-kept'],
    ],
    [
      'reject memory that a running container loses',
      [shared({ 'u/app': [1, 0] }), shared({}, ['u/app'])],
      ['memory-kept'],
    ],
    [
      'reject NUMA nodes that change under a running container',
      [shared({ 'u/app': [1, 0] }), shared({ 'u/app': [1, 1] }, ['u/app'])],
      ['memory-kept'],
    ],
    ['accept the release of memory after the end of its container', [shared({ 'u/app': [1, 0] }), shared({})], []],
    [
      'accept a device of two containers once the record of them is lost',
      [given('c0'), given('c1'), ...running, checkpointDamaged, container('started', other)],
      [],
    ],
  ])('%s', (_, facts, expected) => expect(violated(...facts)).toEqual(expected));
});

describe('a damaged record of CPUs, memory or claims', () => {
  const path = '/root/memory_manager_state';
  const damaged = (how: string): HistoryFact => ({ kind: 'damaged', path, how });
  const deleted: HistoryFact = { kind: 'deleted', path };

  it.each<Case>([
    ['must not be used', [damaged('tear'), agent('started')], ['damaged-assignments-stop-agent']],
    ['may be deleted by an operator', [damaged('tear'), deleted, agent('started')], []],
    ['may be intact but for the name of a field', [damaged('flip'), agent('started')], []],
    ['must be deleted no earlier than it is damaged', [deleted], ['damaged-assignments-stop-agent']],
    [
      'must not be deleted once the agent has read it',
      [damaged('flip'), agent('started'), deleted],
      ['damaged-assignments-stop-agent'],
    ],
    [
      'must not be deleted when another version wrote it',
      [damaged('other-version'), deleted],
      ['damaged-assignments-stop-agent'],
    ],
    [
      'is no record of running containers once it is lost',
      [shared({ 'u/app': [1, 0] }), damaged('lose'), shared({ 'u/app': [1, 1] }, ['u/app'])],
      [],
    ],
  ])('%s', (_, facts, expected) => expect(violated(...facts)).toEqual(expected));
});

describe('a claim', () => {
  const started = container('started');
  const exited = container('exited');
  const off = power('off');

  it.each<Case>([
    ['may be used while it is prepared', [...claiming, started], []],
    ['must be given to its container', [desire({ claims: { app: 1 } }), started], ['claims-prepared-at-start']],
    [
      'must be given beside another one',
      [desire({ claims: { app: 2 } }), prepared('a'), claimsGiven, started],
      ['claims-prepared-at-start'],
    ],
    ['need not be given to other containers', [desire({ claims: { web: 1 } }), started], []],
    [
      'must be prepared when a container starts',
      [desire({ claims: { app: 1 } }), claimsGiven, started],
      ['claims-prepared-at-start'],
    ],
    ['must not be unprepared then', [...claiming, unprepared('a'), started], ['claims-prepared-at-start']],
    ['must be prepared again after a loss of power', [...claiming, off, started], ['claims-prepared-at-start']],
    [
      'may be prepared again then, with any device',
      [...claiming, off, prepared('b'), prepared('a', 'own1'), started],
      [],
    ],
    ['is kept while a container runs', [...claiming, started, unprepared('a')], ['claims-kept-while-used']],
    [
      'is kept while a container of another pod runs',
      [...claiming, started, exited, reserved('v'), container('started', other), unprepared('a')],
      ['claims-kept-while-used'],
    ],
    [
      'is not kept for a pod that does not use it',
      [...claiming, started, exited, container('started', other), unprepared('a')],
      [],
    ],
    ['may be unprepared after the last container', [...claiming, started, exited, unprepared('a')], []],
    ['is unprepared before the end of its pod', [...claiming, unprepared('a'), released('u')], []],
    ['is not unprepared later', [...claiming, released('u')], ['claims-unprepared-at-end']],
    ['is unprepared before the end of its last pod', [...claiming, reserved('v'), released('u')], []],
    [
      'is not unprepared after the end of its last pod',
      [...claiming, reserved('v'), released('u'), released('v')],
      ['claims-unprepared-at-end'],
    ],
    [
      'may be unprepared later when a pod was deleted by force',
      [...claiming, { kind: 'undesired', uid: 'u', graceSeconds: 0 }, released('u')],
      [],
    ],
    [
      'may be unprepared later when a pod is rejected that an earlier agent has run',
      [...claiming, status('Failed', { reason: 'OutOfpods', restartCounts: {} }), released('u')],
      [],
    ],
    [
      'is unprepared before the end of a pod that fails',
      [...claiming, status('Failed'), released('u')],
      ['claims-unprepared-at-end'],
    ],
    ['need not be unprepared after a loss of power', [...claiming, off, released('u')], []],
    ['has its device alone', [prepared('a'), prepared('b')], ['claim-devices-exclusive']],
    ['leaves its device to another claim', [prepared('a'), unprepared('a'), prepared('b')], []],
  ])('%s', (_, facts, expected) => expect(violated(...facts)).toEqual(expected));
});

describe('evictions', () => {
  it.each<Case>([
    ['happen under pressure', [...running, pressure(true), terminate('evicted')], []],
    ['happen shortly after it', [...running, pressure(true), pressure(false), [30_000, terminate('evicted')]], []],
    ['do not happen without it', [...running, terminate('evicted')], ['evicted-under-pressure']],
    [
      'do not happen later',
      [...running, pressure(true), pressure(false), [30_001, terminate('evicted')]],
      ['evicted-under-pressure'],
    ],
    [
      'do not concern critical pods',
      [desire({ isCritical: true }), pressure(true), terminate('evicted')],
      ['evicted-under-pressure'],
    ],
    ['end containers within two seconds', [...running, pressure(true), terminate('evicted'), stop(2)], []],
    ['give these two seconds', [...running, pressure(true), terminate('evicted'), stop(1)], ['grace-periods-given']],
    ['end no container of another pod', [...running, pressure(true), stop(30)], ['healthy-containers-run']],
    [
      'are no reason for a short grace period in the next life of the agent',
      [...running, pressure(true), terminate('evicted'), agent('killed'), agent('started'), stop(2)],
      ['grace-periods-given'],
    ],
    [
      'reject new pods while the node reports the pressure',
      [desire(), pressure(true), pressure(false), [90_000, status('Failed', { reason: 'Evicted' })]],
      [],
    ],
    [
      'reject no new pods later',
      [desire(), pressure(true), pressure(false), [90_001, status('Failed', { reason: 'Evicted' })]],
      ['evicted-under-pressure'],
    ],
    [
      'are shown at any time',
      [
        ...running,
        pressure(true),
        terminate('evicted'),
        pressure(false),
        [600_000, status('Failed', { reason: 'Evicted' })],
      ],
      [],
    ],
  ])('%s', (_, facts, expected) => expect(violated(...facts)).toEqual(expected));
});

describe('conditions of pressure', () => {
  it.each<Case>([
    [
      'may be there after 30 s',
      [agent('started'), pressure(true, []), [30_001, pressure(false, ['MemoryPressure'])]],
      [],
    ],
    [
      'must be there then',
      [agent('started'), pressure(true, []), [30_001, pressure(false, [])]],
      ['pressure-reported'],
    ],
    ['need not be there before', [agent('started'), pressure(true, []), [30_000, pressure(false, [])]], []],
    [
      'need not be those of an agent that has just started',
      [pressure(true, []), [30_000, agent('started')], [2, pressure(false, [])]],
      [],
    ],
    [
      'need not be those of an agent whose checks fail',
      [
        agent('started'),
        { kind: 'step', text: 'throw place=config.pods times=30' },
        pressure(true, []),
        [329_999, pressure(false, [])],
      ],
      [],
    ],
    [
      'must be those of an agent whose checks have failed',
      [
        agent('started'),
        { kind: 'step', text: 'throw place=config.pods times=30' },
        pressure(true, []),
        [330_000, pressure(false, [])],
      ],
      ['pressure-reported'],
    ],
  ])('%s', (_, facts, expected) => expect(violated(...facts)).toEqual(expected));
});

describe('an evicted pod', () => {
  const removed = [...running, pressure(true), terminate('evicted'), container('exited'), container('removed')];
  const again = container('created', { id: 'c1' });

  it.each<Case>([
    ['may begin anew with the next agent when its containers are removed', [...removed, agent('killed'), again], []],
    ['does not begin anew with the same agent', [...removed, again], ['rising-attempts']],
    [
      'continues to count when its containers are left',
      [...running, pressure(true), terminate('evicted'), container('exited'), agent('killed'), again],
      ['rising-attempts'],
    ],
  ])('%s', (_, facts, expected) => expect(violated(...facts)).toEqual(expected));
});

describe('a shutdown', () => {
  const shutdown = [...running, power('shutdown'), terminate('shutdown')];
  /** A second shutdown that begins after the first one was cancelled, with the agent in this state, and an agent that starts during it. */
  const between = (change: 'killed' | 'started'): Case[1] => [
    ...[...running, power('shutdown'), agent('killed'), agent(change)],
    ...([[2_000, power('cancelled')], [2_000, power('shutdown')], agent('killed'), agent('started')] as Case[1]),
  ];

  it.each<Case>([
    ['ends pods', shutdown, []],
    [
      'that was cancelled ends no pod',
      [...running, power('shutdown'), power('cancelled'), terminate('shutdown')],
      ['ended-for-a-reason'],
    ],
    ['gives pods the time of their priority', [...shutdown, stop(10)], []],
    ['gives pods no less', [...shutdown, stop(9)], ['grace-periods-given']],
    [
      'leaves the rest of the time to an agent that starts during it',
      [...shutdown, agent('killed'), agent('started'), [3_000, terminate('shutdown')], stop(6)],
      [],
    ],
    [
      'leaves no less',
      [...shutdown, agent('killed'), agent('started'), [3_000, terminate('shutdown')], stop(5)],
      ['grace-periods-given'],
    ],
    [
      'counts as the one before when that was cancelled while no agent ran',
      [...between('killed'), [3_000, terminate('shutdown')], stop(4)],
      [],
    ],
    [
      'has all its time when an agent saw the end of the one before',
      [...between('started'), [3_000, terminate('shutdown')], stop(4)],
      ['grace-periods-given'],
    ],
    ['rejects new pods', [desire(), power('shutdown'), status('Failed', { reason: 'NodeShutdown' })], []],
    [
      'rejects no pod of an agent that starts after it was cancelled',
      [
        desire(),
        power('shutdown'),
        power('cancelled'),
        [20_000, agent('started')],
        status('Failed', { reason: 'NodeShutdown' }),
      ],
      ['rejected-for-a-reason'],
    ],
    [
      'rejects no pod long after it',
      [desire(), power('shutdown'), power('cancelled'), [1_001, status('Failed', { reason: 'NodeShutdown' })]],
      ['rejected-for-a-reason'],
    ],
    [
      'rejects no pod after the boot',
      [desire(), power('shutdown'), power('off'), agent('started'), status('Failed', { reason: 'NodeShutdown' })],
      ['rejected-for-a-reason'],
    ],
    [
      'is shown by the next agent as well',
      [...shutdown, agent('killed'), power('off'), agent('started'), status('Failed', { reason: 'Terminated' })],
      [],
    ],
    [
      'is shown only of pods that it has ended',
      [...running, power('shutdown'), status('Failed', { reason: 'Terminated' })],
      ['ended-for-a-reason'],
    ],
  ])('%s', (_, facts, expected) => expect(violated(...facts)).toEqual(expected));
});

describe('a pre-emption', () => {
  it.each<Case>([
    ['ends a pod in favour of a critical one', [...running, critical, terminate('pre-empted')], []],
    ['needs a critical pod', [...running, terminate('pre-empted')], ['ended-for-a-reason']],
    [
      'needs one of a higher priority when both are critical',
      [desire({ ...criticalPod, uid: 'u' }), critical, terminate('pre-empted')],
      ['ended-for-a-reason'],
    ],
    [
      'gives its victim the own grace period',
      [...running, critical, terminate('pre-empted'), stop(29)],
      ['grace-periods-given'],
    ],
    [
      'is shown only of its victims',
      [...running, critical, status('Failed', { reason: 'Preempting' })],
      ['ended-for-a-reason'],
    ],
  ])('%s', (_, facts, expected) => expect(violated(...facts)).toEqual(expected));
});

describe('a rejection', () => {
  const rejected = (reason: string): HistoryFact => status('Failed', { reason });
  const large = desire({ uid: 'v', requests: { cpuMillis: 3_500, memoryBytes: 0 } });

  it.each<Case>([
    ['may follow when pods request more than the node has', [desire(), large, rejected('OutOfcpu')], []],
    ['does not follow when all pods fit', [desire(), rejected('OutOfcpu')], ['rejected-for-a-reason']],
    ['does not concern a pod that runs', [...running, large, rejected('OutOfcpu')], ['rejected-for-a-reason']],
    ['may concern one that has run', [...running, large, container('exited'), rejected('OutOfcpu')], []],
    [
      'does not count pods that are gone',
      [large, { kind: 'confirmed', uid: 'v' }, desire(), rejected('OutOfcpu')],
      ['rejected-for-a-reason'],
    ],
    ['counts what pods requested before a resize', [large, desire({ uid: 'v' }), desire(), rejected('OutOfcpu')], []],
    [
      'for want of devices concerns pods with devices',
      [desire({ devices: 1 }), rejected('OutOfexample.com/device')],
      [],
    ],
    [
      'for want of devices concerns no others',
      [desire(), rejected('OutOfexample.com/device')],
      ['rejected-for-a-reason'],
    ],
    [
      'ends a pod that an earlier agent has started',
      [...running, terminate('orphaned'), stop(2), status('Failed', { reason: 'OutOfpods' })],
      [],
    ],
  ])('%s', (_, facts, expected) => expect(violated(...facts)).toEqual(expected));

  it('must be shown when it ends a desired pod', () => {
    expect(violated(...running, terminate('orphaned'))).toEqual(['ended-for-a-reason']);
    expect(violated(...running, { kind: 'undesired', uid: 'u', graceSeconds: 30 }, terminate('orphaned'))).toEqual([]);
    expect(violated(...running, terminate('orphaned'), agent('killed'))).toEqual([]);
  });
});

describe('the grace period of a container', () => {
  it.each<Case>([
    [
      'is that of its pod beside a sidecar',
      [
        desire({ initContainers: ['proxy'] }),
        sandbox,
        container('created'),
        { kind: 'undesired', uid: 'u', graceSeconds: undefined },
        stop(29),
      ],
      ['grace-periods-given'],
    ],
    [
      'may have passed for a sidecar',
      [
        desire({ initContainers: ['proxy'] }),
        container('created', { name: 'proxy' }),
        { kind: 'undesired', uid: 'u', graceSeconds: undefined },
        stop(2),
      ],
      [],
    ],
    [
      'may have passed with a preStop hook',
      [
        desire({ hasHooks: true }),
        container('created'),
        { kind: 'undesired', uid: 'u', graceSeconds: undefined },
        call('stopContainer', 'c0', { timeoutSeconds: 2 }),
      ],
      [],
    ],
  ])('%s', (_, facts, expected) => expect(violated(...facts)).toEqual(expected));
});

describe('a pod that no source has any more while it ends for the sake of the node', () => {
  const undesired: HistoryFact = { kind: 'undesired', uid: 'u', graceSeconds: undefined };
  const ended = [...running, undesired, power('shutdown'), terminate('shutdown'), stop(30), container('exited')];
  const startsAgain = [container('created', { id: 'c1', attempt: 1 }), container('started', { id: 'c1', attempt: 1 })];

  it('may run once more under the next agent, which may not know of the deletion', () => {
    expect(violated(...ended, agent('killed'), agent('started'), ...startsAgain)).not.toContain(
      'no-start-after-termination',
    );
  });

  it('does not run again after the next agent has begun to stop it', () => {
    const again = [...startsAgain, call('stopContainer', 'c1', { timeoutSeconds: 30 })];
    const third = [container('created', { id: 'c2', attempt: 2 }), container('started', { id: 'c2', attempt: 2 })];
    expect(violated(...ended, agent('killed'), agent('started'), ...again, ...third)).toContain(
      'no-start-after-termination',
    );
  });
});

describe('probes of a container', () => {
  const probed = (kind: HealthKind): readonly HistoryFact[] => [
    desire({ health: { app: kind }, graceSeconds: 2 }),
    ...running.slice(1),
  ];
  const shown = (isReady: boolean): HistoryFact => status('Running', { isReady });
  const fault: HistoryFact = { kind: 'step', text: 'outage ms=1', isFault: true };
  const slowExec: HistoryFact = { kind: 'step', text: 'fault rpc=execSync failpoint=1*delay(3000) place=before' };

  it.each<Case>([
    ['may restart it once it is stuck', [...probed('stuck'), [25_000, stop(2)]], []],
    ['may not restart it before', [...probed('stuck'), [24_900, stop(2)]], ['healthy-containers-run']],
    ['may restart it before when a fault lets them fail', [...probed('stuck'), slowExec, [24_900, stop(2)]], []],
    [
      'may not restart it after a single failure',
      [...probed('flickering'), [60_000, stop(2)]],
      ['healthy-containers-run'],
    ],
    ['may not restart it because it starts slowly', [...probed('slow'), [27_000, stop(2)]], ['healthy-containers-run']],
    [
      'may not restart it because it is not ready',
      [...probed('unready'), [40_000, stop(2)]],
      ['healthy-containers-run'],
    ],
    ['may restart it once it has not started for long', [...probed('unborn'), [58_000, stop(2)]], []],
    ['must restart it soon', [...probed('stuck'), [42_001, shown(false)]], ['probes-have-effect']],
    ['need not restart it at once', [...probed('stuck'), [42_000, shown(false)]], []],
    ['need not restart it during faults', [...probed('stuck'), fault, [60_000, shown(false)]], []],
    [
      'need not restart it once its pod is to end',
      [...probed('stuck'), [30_000, undesired], [15_000, shown(false)]],
      [],
    ],
    [
      'must show soon that it is not ready',
      [...probed('unready'), shown(true), [35_001, shown(true)]],
      ['probes-have-effect'],
    ],
    ['are shown soon enough', [...probed('unready'), shown(true), [30_000, shown(false)], [5_001, shown(true)]], []],
  ])('%s', (_, facts, expected) => expect(violated(...facts)).toEqual(expected));
});

describe('the deadline of a pod', () => {
  const desired = desire({ deadlineSeconds: 5, graceSeconds: 2 });
  const failed = status('Failed', { reason: 'DeadlineExceeded' });
  const started = [desired, ...running.slice(1), status('Running')];
  const clock: HistoryFact = { kind: 'step', text: 'clock jumpMs=1' };
  const fault: HistoryFact = { kind: 'step', text: 'outage ms=1', isFault: true };

  it.each<Case>([
    ['may fail it then, whose start time is in whole seconds', [desired, [4_000, failed]], []],
    ['may not fail it before', [desired, [3_999, failed]], ['deadlines-kept']],
    ['may fail it before when the clock is set', [desired, clock, [1, failed]], []],
    ['may end its containers', [...started, [4_000, stop(2)]], []],
    ['may not end its containers before', [...started, [3_000, stop(2)]], ['healthy-containers-run']],
    ['must end it soon', [...started, [17_001, status('Running')]], ['deadlines-kept']],
    ['need not end it at once', [...started, [17_000, status('Running')]], []],
    ['need not end it soon during faults', [...started, fault, [60_000, status('Running')]], []],
    ['is over once it has ended', [...started, [5_000, failed], [60_000, failed]], []],
  ])('%s', (_, facts, expected) => expect(violated(...facts)).toEqual(expected));
});

describe('an ephemeral container', () => {
  const added = desire({
    ephemeralContainers: ['debug'],
    images: { app: 'image:1', debug: 'image:1' },
    graceSeconds: 2,
  });
  const debug = (change: 'created' | 'started' | 'exited', id = 'd0'): HistoryFact =>
    container(change, { id, name: 'debug' });
  const debugged = [...running, added, debug('created'), debug('started')];
  const again = [debug('created', 'd1'), debug('started', 'd1')];
  const lost: HistoryFact = { kind: 'lost', uid: 'u', container: 'debug' };
  const fault: HistoryFact = { kind: 'step', text: 'outage ms=1', isFault: true };
  const later = status('Running');

  it.each<Case>([
    ['may end', [...debugged, debug('exited'), [60_000, later]], []],
    ['may not run again', [...debugged, debug('exited'), ...again], ['rising-attempts', 'debug-containers-run-once']],
    ['may run again once the runtime has lost it', [...debugged, debug('exited'), lost, ...again], []],
    [
      'may not be stopped',
      [...debugged, call('stopContainer', 'd0', { timeoutSeconds: 2 })],
      ['healthy-containers-run'],
    ],
    ['must start soon', [...running, added, [12_001, later]], ['debug-containers-run-once']],
    ['need not start at once', [...running, added, [11_999, later], debug('created'), [60_000, later]], []],
    ['need not start soon during faults', [...running, added, fault, [60_000, later]], []],
    ['need not start without a sandbox', [added, [14_000, later], sandbox, [12_000, later]], []],
    [
      'must start soon in a new sandbox',
      [added, [14_000, later], sandbox, [12_001, later]],
      ['debug-containers-run-once'],
    ],
    ['need not start once its pod is to end', [...running, added, undesired, [20_000, later]], []],
  ])('%s', (_, facts, expected) => expect(violated(...facts)).toEqual(expected));
});

describe('the rule by which all containers of a pod restart', () => {
  const images = { app: 'image:1', web: 'image:1' };
  const desired = desire({ images, restartAllCodes: { app: [42], web: [] }, graceSeconds: 2 });
  const web = (change: 'created' | 'started' | 'exited', attempt = 0): HistoryFact =>
    container(change, { id: `w${String(attempt)}`, name: 'web', attempt });
  const started = [desired, ...running.slice(1), web('created'), web('started')];
  const exit = (exitCode: number): HistoryFact => container('exited', { exitCode });
  const stopWeb = call('stopContainer', 'w0', { timeoutSeconds: 2 });
  const again = [
    container('created', { id: 'c1', attempt: 1 }),
    container('started', { id: 'c1', attempt: 1 }),
  ] as const;
  const fault: HistoryFact = { kind: 'step', text: 'outage ms=1', isFault: true };
  const later = status('Running');

  it.each<Case>([
    ['stops the others', [...started, exit(42), stopWeb, web('exited'), ...again], []],
    ['does not stop them for another code', [...started, exit(1), stopWeb], ['healthy-containers-run']],
    ['stops them before the one that exited runs again', [...started, exit(42), ...again], ['all-containers-restart']],
    [
      'stops them no more once that one runs again',
      [
        ...started,
        exit(42),
        web('exited'),
        ...again,
        web('created', 1),
        web('started', 1),
        call('stopContainer', 'w1', { timeoutSeconds: 2 }),
      ],
      ['healthy-containers-run'],
    ],
    [
      'needs no back-off',
      [
        ...started,
        exit(42),
        web('exited'),
        ...again,
        container('exited', { id: 'c1', exitCode: 42 }),
        container('created', { id: 'c2', attempt: 2 }),
        container('started', { id: 'c2', attempt: 2 }),
      ],
      [],
    ],
    [
      'leaves ephemeral containers alone',
      [
        desire({ images, restartAllCodes: { app: [42] }, ephemeralContainers: ['web'] }),
        ...started.slice(1),
        exit(42),
        ...again,
      ],
      [],
    ],
    ['has effect soon', [...started, exit(42), [12_001, later]], ['all-containers-restart']],
    ['need not have effect at once', [...started, exit(42), [12_000, later]], []],
    ['need not have effect soon during faults', [...started, fault, exit(42), [60_000, later]], []],
    ['has no effect on a pod that is to end', [...started, exit(42), undesired, [20_000, later]], []],
  ])('%s', (_, facts, expected) => expect(violated(...facts)).toEqual(expected));
});

describe('the back-off of a pull', () => {
  const pull = (change: Extract<HistoryFact, { kind: 'pull' }>['change'], uid = 'u'): HistoryFact => ({
    kind: 'pull',
    change,
    uid,
    image: 'image:1',
  });
  const failed = [pull('begun'), pull('failed')];

  it.each<Case>([
    ['is 10 s after the first failure', [...failed, [10_000, pull('begun')]], []],
    ['is no shorter', [...failed, [9_998, pull('begun')]], ['pulls-back-off']],
    ['doubles', [...failed, [10_000, pull('begun')], pull('failed'), [19_998, pull('begun')]], ['pulls-back-off']],
    [
      'begins anew after a success',
      [...failed, [10_000, pull('begun')], pull('done'), ...failed, [10_000, pull('begun')]],
      [],
    ],
    [
      'begins anew after a long time',
      [...failed, [600_001, pull('begun')], pull('failed'), [10_000, pull('begun')]],
      [],
    ],
    ['is that of one pod', [...failed, pull('begun', 'v')], []],
    ['begins anew with the agent', [...failed, agent('killed'), agent('started'), pull('begun')], []],
  ])('%s', (_, facts, expected) => expect(violated(...facts)).toEqual(expected));
});
