import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { createSyncLoopBench, rejectNamed, runtimePod, withMetadata } from '../test-support/sync-loop-bench.ts';
import { rejectUnsupportedFields } from './admission.ts';
import type { AdmissionHandler } from '@rxlet/agent-api';
import type { RuntimePod } from '@rxlet/pod-model/runtime';

const created = (name: string, creationTimestamp: string): Pod =>
  withMetadata(manifestPod(name), { creationTimestamp });
describe('admission', () => {
  it('admits older pods first, each beside the active ones', async () => {
    const calls: string[] = [];
    const handler: AdmissionHandler = {
      name: 'recorder',
      admit(pod, others) {
        calls.push([pod, ...others.list()].map(({ metadata }) => metadata?.name).join(' '));
        return undefined;
      },
    };
    const { emit } = createSyncLoopBench({ admission: [handler] });
    await emit('ADD', manifestPod('first'));
    await emit('ADD', created('young', '2026-01-02T00:00:00Z'), created('old', '2026-01-01T00:00:00Z'));
    expect(calls).toEqual(['first', 'old first', 'young first old']);
  });

  it('admits those first that an earlier run of the agent admitted, of pods of the same second', async () => {
    const calls: string[] = [];
    const handler: AdmissionHandler = {
      name: 'recorder',
      admit: (pod) => void calls.push(pod.metadata?.name ?? ''),
    };
    const { emit } = createSyncLoopBench({ admission: [handler] });
    const second = '2026-01-01T00:00:00Z';
    await emit(
      'ADD',
      created('waiting', second),
      { ...created('admitted', second), status: { startTime: second } },
      created('old', '2025-01-01T00:00:00Z'),
    );
    expect(calls).toEqual(['old', 'admitted', 'waiting']);
  });

  it('admits pods that run before others, in the order in which they have started', async () => {
    const calls: string[] = [];
    const handler: AdmissionHandler = {
      name: 'recorder',
      admit: (pod) => void calls.push(pod.metadata?.name ?? ''),
    };
    const { emit, world } = createSyncLoopBench({ admission: [handler] });
    const startedAt = (name: string, ms: bigint): RuntimePod => ({
      uid: `uid-${name}-1`,
      name,
      namespace: 'default',
      sandboxes: [{ id: name, attempt: 0, state: 'ready', createdAtNanos: ms * 1_000_000n }],
      containers: [],
    });
    world.held = [startedAt('second', 20n), startedAt('first', 10n)];
    const pods = ['new', 'second', 'first'].map((name) => created(name, '2026-01-01T00:00:00Z'));
    pods.push(created('stopped', '2025-01-01T00:00:00Z'));
    await emit('ADD', ...pods);
    expect(calls).toEqual(['first', 'second', 'stopped', 'new']);
  });

  it('judges a pod that runs since an earlier run of the agent without those that came before it', async () => {
    const room: AdmissionHandler = {
      name: 'room',
      admit: (_pod, { count }) => (count > 0 ? { reason: 'OutOfpods', message: 'full' } : undefined),
    };
    const { emit, world, steps, rejections } = createSyncLoopBench({ admission: [room] });
    await emit('ADD', manifestPod('newcomer'));
    world.held = [runtimePod('uid-running-1'), runtimePod('uid-ended-1', 'notready')];
    await emit('ADD', manifestPod('running'), manifestPod('ended'), manifestPod('late'));
    expect(steps).toEqual(['sync newcomer', 'sync running']);
    expect(rejections).toEqual(Array(2).fill('kubelet_admission_rejections_total OutOfpods'));
  });

  it('lets a pod that runs preempt others as a new one does', async () => {
    const preempted: string[] = [];
    const preempting: AdmissionHandler = {
      name: 'preempting',
      admit: (pod, { count }) =>
        count > 0
          ? { timeoutMs: 1_000, prepare: async () => void preempted.push(pod.metadata?.name ?? '') }
          : undefined,
    };
    const { emit, world, steps } = createSyncLoopBench({ admission: [preempting] });
    await emit('ADD', manifestPod('newcomer'));
    world.held = [runtimePod('uid-running-1')];
    await emit('ADD', manifestPod('running'));
    expect(preempted).toEqual(['running']);
    expect(steps).toEqual(['sync newcomer', 'sync running']);
  });

  it('names some of thousands of unsupported fields: no API server stores a status with all of them', async () => {
    const fields = Array.from({ length: 20_000 }, (_none, index) => `spec.volumes[${String(index)}].iscsi`);
    const { emit, statuses } = createSyncLoopBench({ admission: [rejectUnsupportedFields(() => fields)] });
    await emit('ADD', manifestPod('bad'));
    const named = fields.slice(0, 20).join(', ');
    expect(statuses.get('uid-bad-1')?.message).toBe(
      `Pod was rejected: this node agent does not support ${named}, and 19980 more`,
    );
  });

  it('reports the first rejection by status, event and metric, and starts nothing', async () => {
    const { emit, steps, statuses, events, rejections, view, workers } = createSyncLoopBench({
      admission: [rejectNamed('nothing'), rejectNamed('bad'), rejectNamed('bad', 'Later')],
    });
    await emit('ADD', manifestPod('bad'), manifestPod('good'));
    expect(steps).toEqual(['sync good']);
    expect(workers.state('uid-bad-1')).toBeUndefined();
    expect(statuses.get('uid-bad-1')).toEqual({
      phase: 'Failed',
      reason: 'OutOfcpu',
      message: 'Pod was rejected: no bad here',
      qosClass: 'BestEffort',
    });
    expect(events.list()).toMatchObject([{ type: 'Warning', reason: 'OutOfcpu', message: 'no bad here' }]);
    expect(rejections).toEqual(['kubelet_admission_rejections_total OutOfcpu']);
    expect(view.list()).toHaveLength(2);
  });

  it.each([
    ['OutOfcpu', 'OutOfcpu'],
    ['OutOfexample.com/gpu', 'OutOfExtendedResources'],
    ['NodePorts', 'Other'],
    ['SysctlForbidden', 'SysctlForbidden'],
  ])('counts %s as %s', async (reason, counted) => {
    const { emit, rejections } = createSyncLoopBench({ admission: [rejectNamed('bad', reason)] });
    await emit('ADD', manifestPod('bad'));
    expect(rejections).toEqual([`kubelet_admission_rejections_total ${counted}`]);
  });

  it('keeps a rejected pod rejected through updates, until it is replaced', async () => {
    const node = { isFull: true };
    const { emit, steps, clock, rejections, view } = createSyncLoopBench({
      admission: [{ name: 'room', admit: () => (node.isFull ? { reason: 'OutOfpods', message: 'full' } : undefined) }],
    });
    await emit('ADD', manifestPod('web'));
    node.isFull = false;
    await emit('UPDATE', manifestPod('web', { terminationGracePeriodSeconds: 3 }));
    await emit('RECONCILE', manifestPod('web', { terminationGracePeriodSeconds: 4 }));
    await clock.advance(60_000);
    expect(steps).toEqual([]);
    expect(rejections).toHaveLength(1);
    await emit('REMOVE', manifestPod('web'));
    await emit('ADD', manifestPod('web', {}, 2));
    expect(steps).toEqual(['sync web']);
    expect(view.list().map(({ metadata }) => metadata?.uid)).toEqual(['uid-web-2']);
  });

  it('is run again for a pod that comes back under its UID', async () => {
    const node = { isFull: true };
    const { emit, steps } = createSyncLoopBench({
      admission: [{ name: 'room', admit: () => (node.isFull ? { reason: 'OutOfpods', message: 'full' } : undefined) }],
    });
    await emit('ADD', manifestPod('web'));
    node.isFull = false;
    await emit('REMOVE', manifestPod('web'));
    await emit('ADD', manifestPod('web'));
    await emit('UPDATE', manifestPod('web', { terminationGracePeriodSeconds: 3 }));
    expect(steps).toEqual(['sync web', 'sync web']);
  });

  it('is not run for a pod that terminates', async () => {
    const { emit, steps, rejections, workers, clock } = createSyncLoopBench({ admission: [rejectNamed('web')] });
    await emit('ADD', withMetadata(manifestPod('web'), { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    await clock.advance(1_000);
    expect(rejections).toEqual([]);
    expect(steps).toEqual(['stop uid-web-1']);
    expect(workers.state('uid-web-1')?.kind).toBe('finished');
  });

  it('finishes a rejected pod that is deleted', async () => {
    const { emit, workers, clock } = createSyncLoopBench({ admission: [rejectNamed('web')] });
    await emit('ADD', manifestPod('web'));
    await emit('DELETE', withMetadata(manifestPod('web'), { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    await clock.advance(1_000);
    expect(workers.state('uid-web-1')?.kind).toBe('finished');
  });

  it('rejects a pod whose handler throws, and admits the others', async () => {
    const { emit, steps, statuses } = createSyncLoopBench({
      admission: [
        {
          name: 'broken',
          admit(pod) {
            if (pod.metadata?.name === 'bad') throw new Error('no answer');
            return undefined;
          },
        },
      ],
    });
    await emit('ADD', manifestPod('bad'), manifestPod('good'));
    expect(steps).toEqual(['sync good']);
    expect(statuses.get('uid-bad-1')).toMatchObject({
      reason: 'UnexpectedAdmissionError',
      message: 'Pod was rejected: Admission failed due to no answer, which is unexpected.',
    });
  });
});
