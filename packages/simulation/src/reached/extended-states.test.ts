import { describe, expect, it } from 'vitest';
import type { HistoryFact } from '../history/history.ts';
import {
  agent,
  container,
  desire,
  historyOf,
  power,
  pressure,
  sandbox,
  status,
  stop,
  type Timed,
} from '../properties/test-support.ts';
import type { HealthKind } from '../workload/health.ts';
import { EXTENDED_STATES } from './extended-states.ts';

const resized = (error?: string): HistoryFact => ({
  kind: 'answer',
  call: { rpc: 'updateContainerResources', target: 'c0', uid: 'u' },
  ...(error !== undefined && { error }),
});
const deferred = status('Running', { pendingResize: 'Deferred' });
const preempted = status('Failed', { uid: 'v', reason: 'Preempting' });
const given = (uid: string): HistoryFact => ({ kind: 'devices', uid, container: `${uid}/app`, devices: ['d0'] });
const assigned = (key: string): HistoryFact => ({ kind: 'cpus', assigned: { [key]: [1] }, running: [] });
const shared = (key: string, ...numaNodes: readonly number[]): HistoryFact => ({
  kind: 'memory',
  assigned: numaNodes.length > 0 ? { [key]: { bytes: 1, numaNodes } } : {},
  available: [1, 1],
  running: [],
});
const allocated = (cpuMillis: number): HistoryFact => ({
  kind: 'allocated',
  pods: { u: { cpuMillis, memoryBytes: 0 } },
  capacity: { cpuMillis: 4, memoryBytes: 0 },
});
const debugged = desire({ ephemeralContainers: ['app'] });
const withRule = desire({ restartAllCodes: { app: [42] } });
const pull = (change: Extract<HistoryFact, { kind: 'pull' }>['change']): HistoryFact => ({
  kind: 'pull',
  change,
  uid: 'u',
  image: 'image:1',
});
const trouble: HistoryFact = { kind: 'step', text: 'devices trouble=dead index=0 ms=2' };
const claim = (change: Extract<HistoryFact, { kind: 'claim' }>['change']): HistoryFact => ({
  kind: 'claim',
  change,
  claim: 'a',
  device: 'own0',
});
const reserved: HistoryFact = { kind: 'claim-user', change: 'reserved', claim: 'a', uid: 'u' };
const claimGiven = (uid: string, id: string): HistoryFact => ({
  kind: 'claims-given',
  uid,
  container: id,
  claims: ['a'],
});
const away = (ms: number): HistoryFact => ({ kind: 'step', text: `claims of=own trouble=dead ms=${String(ms)}` });
const probed = (kind: HealthKind): readonly HistoryFact[] => [desire({ health: { app: kind } }), container('started')];
const ready = status('Running', { isReady: true });
const deleted: HistoryFact = { kind: 'undesired', uid: 'u', graceSeconds: undefined };

/** Each state, a history that reaches it, and one that almost does. */
const histories: Readonly<Record<string, readonly [reaches: readonly Timed[], almost: readonly Timed[]]>> = {
  'a resize reaches the runtime': [[resized()], [resized('internal: injected')]],
  'a resize is deferred': [[deferred], [status('Running', { pendingResize: 'Infeasible' })]],
  'a deferred resize is carried out': [
    [deferred, status('Running')],
    [deferred, status('Failed')],
  ],
  'a static pod is resized': [
    [desire({ isStatic: true }), allocated(1), allocated(2)],
    [desire(), allocated(1), allocated(2), desire({ uid: 'v', isStatic: true }), allocated(3)],
  ],
  'a pre-emption during a resize': [
    [deferred, preempted],
    [deferred, status('Running'), preempted],
  ],
  'a pod is evicted': [[status('Failed', { reason: 'Evicted' })], [status('Failed')]],
  'an agent starts under pressure': [
    [pressure(true), agent('started')],
    [pressure(true), pressure(false), agent('started')],
  ],
  'an agent starts while the machine shuts down': [
    [power('shutdown'), agent('started')],
    [power('shutdown'), power('off'), agent('started')],
  ],
  'a shutdown is cancelled': [[power('cancelled')], [power('off')]],
  'a device goes to another container': [
    [given('u'), given('v')],
    [given('u'), given('u')],
  ],
  'a CPU goes to another container': [
    [assigned('u/app'), assigned('v/app')],
    [assigned('u/app'), assigned('u/app')],
  ],
  'memory of a NUMA node goes to another container': [
    [shared('u/app', 1), shared('v/app', 1)],
    [shared('u/app', 1), shared('v/app', 0), shared('u/app'), shared('u/app', 1)],
  ],
  'a container gets memory of two NUMA nodes': [[shared('u/app', 0, 1)], [shared('u/app', 1)]],
  'an operator deletes a damaged record of CPUs, memory or claims': [
    [{ kind: 'deleted', path: '/root/cpu_manager_state' }],
    [{ kind: 'damaged', path: '/root/cpu_manager_state', how: 'lose' }],
  ],
  'a container with devices starts while their plugin is in trouble': [
    [trouble, given('u')],
    [trouble, status('Running'), given('u')],
  ],
  'a claim is shared by two running pods': [
    [claimGiven('u', 'c0'), container('started'), claimGiven('v', 'c1'), container('started', { id: 'c1' })],
    [
      ...[claimGiven('u', 'c0'), container('started'), container('exited')],
      ...[claimGiven('v', 'c1'), container('started', { id: 'c1' })],
    ],
  ],
  'a claim is prepared again after a restart of the agent': [
    [claim('prepared'), agent('killed'), claim('confirmed')],
    [agent('killed'), claim('prepared'), claim('confirmed')],
  ],
  'a claim is unprepared although its driver was away': [
    [claimGiven('u', 'c0'), away(2), container('exited'), claim('unprepared')],
    [claimGiven('u', 'c0'), away(3), container('exited'), claim('unprepared')],
  ],
  'an agent is killed after a claim is prepared and before the sandbox': [
    [reserved, claim('prepared'), agent('killed')],
    [reserved, claim('prepared'), sandbox, agent('killed')],
  ],
  'a claim is unprepared of a pod that was deleted while the agent was away': [
    [reserved, agent('killed'), deleted, agent('started'), claim('unprepared')],
    [reserved, agent('killed'), agent('started'), deleted, claim('unprepared')],
  ],
  'a pod fails at its deadline': [[status('Failed', { reason: 'DeadlineExceeded' })], [status('Failed')]],
  'the deadline of a running pod passes while no agent runs': [
    [desire({ deadlineSeconds: 5 }), container('started'), [4_999, agent('started')]],
    [desire({ deadlineSeconds: 5 }), container('started'), [4_998, agent('started')]],
  ],
  'a container that is stuck is restarted': [
    [...probed('stuck'), [25_000, stop(30)]],
    [...probed('stuck'), [24_900, stop(30)]],
  ],
  'a container that never starts is restarted': [
    [...probed('unborn'), [58_000, stop(30)]],
    [...probed('unborn'), [57_900, stop(30)]],
  ],
  'a running container is not ready for a while': [
    [...probed('unready'), ready, status('Running'), ready],
    [...probed('unready'), ready, status('Running'), container('exited'), container('started', { id: 'c1' }), ready],
  ],
  'an agent starts while a container is stuck': [
    [...probed('stuck'), [20_000, agent('started')]],
    [...probed('stuck'), [19_999, agent('started')]],
  ],
  'an agent starts after an ephemeral container has ended': [
    [debugged, container('exited'), agent('started')],
    [debugged, container('exited'), deleted, agent('started')],
  ],
  'an ephemeral container is added while no agent runs': [
    [agent('killed'), debugged, agent('started'), debugged],
    [debugged, agent('killed'), debugged],
  ],
  'a container waits for the registry, and starts': [
    [pull('begun'), pull('failed'), pull('begun'), pull('done')],
    [pull('begun'), pull('failed'), pull('begun'), pull('failed')],
  ],
  'all containers of a pod restart by a rule': [
    [withRule, container('exited', { exitCode: 42 }), container('started', { id: 'c1' })],
    [withRule, container('exited', { exitCode: 1 }), container('started', { id: 'c1' })],
  ],
  'an agent starts while all containers of a pod are to restart': [
    [withRule, container('exited', { exitCode: 42 }), agent('started')],
    [withRule, container('exited', { exitCode: 42 }), container('started', { id: 'c1' }), agent('started')],
  ],
};

describe.each(EXTENDED_STATES)('the state $name', ({ name, count }) => {
  const [reaches, almost] = histories[name] ?? [];
  const counted = (facts: readonly Timed[] = []): number => count(historyOf(facts));

  it('is counted once in a history that reaches it', () => expect(counted(reaches)).toBe(1));

  it('is not counted in one that almost does', () => {
    expect(almost).not.toHaveLength(0);
    expect(counted(almost)).toBe(0);
  });
});
