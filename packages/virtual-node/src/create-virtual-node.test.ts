import type { NodeCondition } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { podUid } from '@rxlet/pod-model';
import { describe, expect, it } from 'vitest';
import { ProviderError } from './provider-error.ts';
import { createTestCloud } from './test-support/test-cloud.ts';

const running = { name: 'main', state: 'running' } as const;

const isReady = ({ type, status }: NodeCondition): boolean => type === 'Ready' && status === 'True';

describe('a virtual node', () => {
  it('is a node of the cluster with the capacity that its owner states', async () => {
    const { start, node, clock } = createTestCloud();
    await start();
    await clock.runUntil(() => node()?.status?.conditions?.some(isReady) === true, 60_000);
    expect(node()).toMatchObject({
      metadata: { labels: { type: 'virtual-kubelet' } },
      spec: { taints: [{ key: 'virtual-kubelet.io/provider', value: 'memory', effect: 'NoSchedule' }] },
      status: {
        capacity: { cpu: '64', memory: '256Gi', pods: '500', 'example.com/gpu': '8' },
        allocatable: { cpu: '64', memory: '256Gi', pods: '500', 'example.com/gpu': '8' },
        nodeInfo: { containerRuntimeVersion: 'memory://1.0.0' },
      },
    });
  });

  it('runs a pod and reports the status that a kubelet would make of its containers', async () => {
    const { start, bind, untilPhase, pod, cloud, events } = createTestCloud();
    await start();
    bind('web', { initContainers: [{ name: 'init', image: 'app:1' }] });
    await untilPhase('web', 'Running');
    expect(pod('web')?.status).toMatchObject({
      podIP: '10.1.0.1',
      hostIP: '192.0.2.7',
      initContainerStatuses: [{ name: 'init', state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
      containerStatuses: [{ name: 'main', ready: true, image: 'app:1', restartCount: 0 }],
    });
    expect(pod('web')?.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
    expect(cloud.calls.map(({ method }) => method)).toEqual(['create']);
    expect(events()).toContain('ProviderCreateSuccess');
  });

  it('completes a pod whose containers have ended, and deletes it in the provider with its object', async () => {
    const { start, bind, untilPhase, cloud, clock, delete: remove, untilGone } = createTestCloud();
    await start();
    const uid = podUid(bind('job', { restartPolicy: 'Never' }));
    await untilPhase('job', 'Running');
    cloud.report(uid, [{ name: 'main', state: 'exited', exitCode: 0 }]);
    await untilPhase('job', 'Succeeded');
    await clock.advance(120_000);
    expect(cloud.get(uid)).toBeDefined();
    remove('job');
    await untilGone('job');
    // By the garbage collection of each minute, as dead containers of other nodes.
    await clock.runUntil(() => cloud.get(uid) === undefined, 120_000);
  });

  it('passes on readiness, restarts and reasons to wait', async () => {
    const { start, bind, untilPhase, cloud, clock, pod } = createTestCloud();
    await start();
    const uid = podUid(bind('web'));
    await untilPhase('web', 'Running');
    const status = () => pod('web')?.status?.containerStatuses?.[0];
    cloud.report(uid, [{ ...running, ready: false }]);
    await clock.runUntil(() => status()?.ready === false, 10_000);
    cloud.report(uid, [{ name: 'main', state: 'exited', exitCode: 3 }]);
    await clock.runUntil(() => status()?.state?.terminated?.exitCode === 3, 10_000);
    cloud.report(uid, [{ name: 'main', state: 'waiting', reason: 'CrashLoopBackOff', message: 'wait 10 s' }]);
    await clock.runUntil(() => status()?.state?.waiting?.reason === 'CrashLoopBackOff', 10_000);
    expect(status()?.lastState?.terminated?.exitCode).toBe(3);
    cloud.report(uid, [running]);
    await clock.runUntil(() => status()?.state?.running !== undefined, 10_000);
    expect(status()).toMatchObject({ restartCount: 1, ready: true, lastState: { terminated: { exitCode: 3 } } });
  });

  it('updates a pod whose labels or spec have changed, not one whose status has', async () => {
    const { start, bind, untilPhase, cloud, clock, kube } = createTestCloud();
    await start();
    bind('web');
    await untilPhase('web', 'Running');
    await clock.advance(180_000);
    const updates = () => cloud.calls.filter(({ method }) => method === 'update').length;
    expect(updates()).toBe(0);
    kube.objects.merge(resources.pods, 'web', 'default', { metadata: { labels: { tier: 'front' } } });
    await clock.runUntil(() => updates() === 1, 60_000);
  });

  it('leaves no timer, no watch and no connection', async () => {
    const { start, bind, untilPhase, clock, kube, stop } = createTestCloud();
    await start();
    bind('web');
    await untilPhase('web', 'Running');
    await stop();
    expect(kube.cutWatches()).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a failure of the provider', () => {
  it('is shown in the status and as an event, and the creation is repeated', async () => {
    const { start, bind, untilPhase, cloud, clock, pod, events } = createTestCloud();
    await start();
    cloud.fail('create', new Error('the cloud is full'), 2);
    bind('web');
    const waiting = () => pod('web')?.status?.containerStatuses?.[0]?.state?.waiting;
    await clock.runUntil(() => waiting()?.reason === 'ProviderFailed', 30_000);
    expect(waiting()?.message).toBe('the cloud is full');
    expect(events()).toContain('ProviderCreateFailed');
    await untilPhase('web', 'Running');
    expect(cloud.calls).toHaveLength(3);
    expect(pod('web')?.status?.containerStatuses?.[0]?.state?.waiting).toBeUndefined();
  });

  it('fails the pod for good when the provider rejects it', async () => {
    const { start, bind, untilPhase, cloud, clock, pod } = createTestCloud();
    await start();
    cloud.fail('create', new ProviderError('Rejected', 'no GPU of this kind'));
    bind('web');
    await untilPhase('web', 'Failed');
    expect(pod('web')?.status).toMatchObject({ reason: 'ProviderFailed', message: 'no GPU of this kind' });
    await clock.advance(300_000);
    expect(cloud.calls.filter(({ method }) => method === 'create')).toHaveLength(1);
  });

  it('makes the node not ready while the stream is closed, and changes no pod', async () => {
    const { start, bind, untilPhase, cloud, clock, node, pod } = createTestCloud();
    await start();
    bind('web');
    await untilPhase('web', 'Running');
    const reconnect = cloud.disconnect();
    const ready = () => node()?.status?.conditions?.find(({ type }) => type === 'Ready');
    await clock.runUntil(() => ready()?.status === 'False', 120_000);
    expect(ready()?.message).toContain('the provider is down');
    expect(pod('web')?.status?.phase).toBe('Running');
    reconnect();
    await clock.runUntil(() => ready()?.status === 'True', 120_000);
  });
});

describe('the end of a pod', () => {
  it('is confirmed with the last statuses of its containers', async () => {
    const { start, bind, untilPhase, untilGone, cloud, delete: remove, kube, agent } = createTestCloud();
    await start();
    const uid = podUid(bind('web'));
    await untilPhase('web', 'Running');
    const seen: unknown[] = [];
    agent().pods.changes$.subscribe(({ pod }) => seen.push(pod.status?.containerStatuses?.[0]?.state?.terminated));
    remove('web', 20);
    await untilGone('web');
    expect(cloud.calls.at(-1)).toEqual({ method: 'delete', uid, gracePeriodSeconds: 20 });
    expect(seen).toContainEqual(expect.objectContaining({ exitCode: 143, reason: 'Error' }));
    expect(kube.objects.get(resources.pods, 'web', 'default')).toBeUndefined();
  });

  // A provider that is slower than the grace period: virtual-kubelet#760.
  it('waits for a provider that is slower than the deletion', async () => {
    const { start, bind, untilPhase, untilGone, cloud, clock, delete: remove, pod, events } = createTestCloud();
    await start();
    const uid = podUid(bind('web'));
    await untilPhase('web', 'Running');
    const release = cloud.holdDeletions();
    remove('web', 5);
    await clock.advance(120_000);
    expect(pod('web')?.status?.phase).toBe('Running');
    expect(events()).toContain('FailedKillPod');
    expect(cloud.calls.filter(({ method }) => method === 'delete').length).toBeGreaterThan(1);
    release();
    await untilGone('web');
    expect(cloud.get(uid)).toBeUndefined();
  });

  // A pod that is not there is not an error, an error is not a pod that is gone: virtual-kubelet#398.
  it('does not take a failed deletion for a pod that is gone', async () => {
    const { start, bind, untilPhase, untilGone, cloud, clock, delete: remove, pod } = createTestCloud();
    await start();
    const uid = podUid(bind('web'));
    await untilPhase('web', 'Running');
    cloud.fail('delete', new ProviderError('Unavailable', 'try later'), 2);
    remove('web', 1);
    await clock.advance(5_000);
    expect(pod('web')).toBeDefined();
    await untilGone('web');
    expect(cloud.get(uid)).toBeUndefined();
  });

  it('is reached when the provider no longer has the pod', async () => {
    const { start, bind, untilPhase, untilGone, cloud, delete: remove } = createTestCloud();
    await start();
    bind('web');
    await untilPhase('web', 'Running');
    cloud.fail('delete', new ProviderError('NotFound', 'no such pod'));
    remove('web', 1);
    await untilGone('web');
  });

  // The stream may still have a report of before the deletion: virtual-kubelet#684.
  it('is not undone by a late status', async () => {
    const { start, bind, untilPhase, untilGone, cloud, clock, delete: remove, agent, pod } = createTestCloud();
    await start();
    const uid = podUid(bind('web'));
    await untilPhase('web', 'Running');
    const late = cloud.get(uid)!;
    remove('web', 1);
    await untilGone('web');
    cloud.send({ type: 'changed', pod: late });
    await clock.advance(60_000);
    expect(pod('web')).toBeUndefined();
    expect(agent().pods.list()).toEqual([]);
    expect(agent().debugState()).toMatchObject({ provider: { pods: [] } });
  });

  // The name is free as soon as the pod is gone: virtual-kubelet#867.
  it('does not touch a pod of the same name that follows at once', async () => {
    const { start, bind, untilPhase, untilGone, cloud, clock, delete: remove, pod } = createTestCloud();
    await start();
    bind('web');
    await untilPhase('web', 'Running');
    remove('web', 30);
    await untilGone('web');
    const uid = podUid(bind('web'));
    await untilPhase('web', 'Running');
    await clock.advance(90_000);
    expect(pod('web')?.metadata?.deletionTimestamp).toBeUndefined();
    expect(cloud.calls.filter((call) => call.uid === uid).map(({ method }) => method)).toEqual(['create']);
  });

  it('fails a pod that the provider removed, with its reason', async () => {
    const { start, bind, untilPhase, cloud, clock, pod } = createTestCloud();
    await start();
    const uid = podUid(bind('web'));
    await untilPhase('web', 'Running');
    cloud.remove(uid, { reason: 'SpotReclaimed', message: 'the machine was taken back' });
    await untilPhase('web', 'Failed');
    expect(pod('web')?.status).toMatchObject({ reason: 'SpotReclaimed', message: 'the machine was taken back' });
    await clock.advance(300_000);
    // It is neither created again nor deleted: virtual-kubelet#78.
    expect(cloud.calls.filter((call) => call.uid === uid).map(({ method }) => method)).toEqual(['create']);
  });
});

describe('a status', () => {
  // The controller manager marks pods of a silent node as not ready: virtual-kubelet#899.
  it('is reported again after another writer has changed it', async () => {
    const { start, bind, untilPhase, clock, pod, kube } = createTestCloud();
    await start();
    bind('web');
    await untilPhase('web', 'Running');
    const ready = () => pod('web')?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    expect(ready()).toBe('True');
    const { status } = pod('web')!;
    const conditions = status!.conditions!.map((one) => (one.type === 'Ready' ? { ...one, status: 'False' } : one));
    kube.objects.merge(resources.pods, 'web', 'default', { status: { conditions } }, 'status');
    expect(ready()).toBe('False');
    await clock.runUntil(() => ready() === 'True', 60_000);
  });

  // The API server rejects a status with one bad time as a whole: virtual-kubelet#938.
  it('is repaired when its times are impossible, so that the pod can be deleted', async () => {
    const { start, bind, untilPhase, untilGone, cloud, clock, delete: remove, pod, logger } = createTestCloud();
    await start();
    const uid = podUid(bind('web', { restartPolicy: 'Never' }));
    await untilPhase('web', 'Running');
    const [startedAtMs, finishedAtMs, exitCode] = [Number.NaN, -8.64e15, Number.NaN];
    cloud.report(uid, [{ name: 'main', state: 'exited', startedAtMs, finishedAtMs, exitCode }]);
    await untilPhase('web', 'Failed');
    const { terminated } = pod('web')!.status!.containerStatuses![0]!.state!;
    expect(terminated).toMatchObject({ exitCode: 137, reason: 'ContainerStatusUnknown' });
    expect(Date.parse(terminated!.finishedAt!)).toBeLessThanOrEqual(clock.now());
    expect(logger.lines.map(({ message }) => message)).toContain('repaired a report of the provider');
    remove('web', 1);
    await untilGone('web');
  });
});

describe('the restart of an agent', () => {
  it('adopts the pods that the provider has', async () => {
    const { start, bind, untilPhase, cloud, clock, pod } = createTestCloud();
    await start();
    bind('web');
    await untilPhase('web', 'Running');
    const before = pod('web')?.status;
    await start();
    await clock.advance(120_000);
    expect(pod('web')?.status).toEqual(before);
    expect(cloud.calls.map(({ method }) => method)).toEqual(['create', 'update']);
  });

  // Deletions while no agent ran: virtual-kubelet#784 and #977.
  it('deletes pods that were deleted meanwhile, gracefully or by force', async () => {
    const { start, stop, bind, untilPhase, untilGone, cloud, clock, delete: remove } = createTestCloud();
    await start();
    const uids = ['graceful', 'forced'].map((name) => podUid(bind(name)));
    await untilPhase('graceful', 'Running');
    await untilPhase('forced', 'Running');
    await stop();
    remove('graceful', 10);
    remove('forced', 0);
    await start();
    await untilGone('graceful');
    await clock.runUntil(() => uids.every((uid) => cloud.get(uid) === undefined), 120_000);
  });

  it('fails a pod that the provider removed meanwhile', async () => {
    const { start, stop, bind, untilPhase, cloud, pod } = createTestCloud();
    await start();
    const uid = podUid(bind('web'));
    await untilPhase('web', 'Running');
    await stop();
    cloud.remove(uid);
    await start();
    await untilPhase('web', 'Failed');
    expect(pod('web')?.status?.reason).toBe('NotFound');
    expect(cloud.calls.map(({ method }) => method)).toEqual(['create']);
  });

  it('does not start a completed pod again', async () => {
    const { start, bind, untilPhase, cloud, clock, pod } = createTestCloud();
    await start();
    const uid = podUid(bind('job', { restartPolicy: 'Never' }));
    await untilPhase('job', 'Running');
    cloud.report(uid, [{ name: 'main', state: 'exited', exitCode: 0 }]);
    await untilPhase('job', 'Succeeded');
    await start();
    await clock.advance(120_000);
    expect(pod('job')?.status?.phase).toBe('Succeeded');
    expect(cloud.calls.map(({ method }) => method)).toEqual(['create']);
  });
});
