import { ContainerState, PodSandboxState, ServiceError, StatusCode } from '@rxlet/cri-api';
import { createPleg } from '@rxlet/pleg';
import { afterEach, describe, expect, it } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { createTestNode, type TestNode } from '../test-node.ts';

const benches: TestNode[] = [];
const bench = (...args: Parameters<typeof createTestNode>): TestNode => {
  const made = createTestNode(...args);
  benches.push(made);
  return made;
};
afterEach(async () => {
  for (const made of benches.splice(0)) {
    await made[Symbol.asyncDispose]();
    expect(made.clock.pendingTimers).toBe(0);
  }
});

const statusOf = (made: TestNode, name: string) =>
  made
    .agent()
    .pods.list()
    .find(({ metadata }) => metadata?.name === name)?.status;
const isReady = (made: TestNode, name: string): boolean =>
  statusOf(made, name)?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
const isEmpty = ({ fake }: TestNode): boolean =>
  fake.snapshot().sandboxes.length === 0 && fake.snapshot().containers.length === 0;

describe('createAgent', () => {
  it('runs init containers in order, then the containers, and reports the pod ready', async () => {
    const made = bench();
    await made.start();
    const phases: string[] = [];
    made.agent().pods.changes$.subscribe(({ pod }) => {
      const phase = pod.status?.phase;
      if (phase !== undefined && phase !== phases.at(-1)) phases.push(phase);
    });
    const init = (name: string) => ({ name, image: 'registry.example/init:1', command: ['sh', '-c', 'sleep 2'] });
    made.desire(
      manifestPod('web', {
        initContainers: [init('one'), init('two')],
        containers: [
          { name: 'app', image: 'registry.example/app:1', command: ['serve'] },
          { name: 'side', image: 'registry.example/side:1', command: ['serve'] },
        ],
      }),
    );
    await made.clock.runUntil(() => isReady(made, 'web'));
    expect(phases).toEqual(['Pending', 'Running']);
    const [one, two, app, side] = ['one', 'two', 'app', 'side'].map((name) => made.instances('web', name)[0]!);
    expect(one!.finishedAt).toBeLessThan(two!.createdAt);
    expect(two!.finishedAt).toBeLessThan(app!.createdAt);
    expect(side!.state).toBe(ContainerState.CONTAINER_RUNNING);
    expect(statusOf(made, 'web')).toMatchObject({ hostIP: '192.0.2.1', podIP: '10.244.0.2', qosClass: 'BestEffort' });
    expect(
      made
        .agent()
        .events.list()
        .filter(({ reason }) => reason === 'Started').length,
    ).toBe(4);
  });

  /** Records when the instances of a container started, in seconds from now, as observed between two timers. */
  const watchStarts = async (made: TestNode, name: string, count: number): Promise<Map<number, number>> => {
    const startMs = made.clock.now();
    const starts = new Map<number, number>();
    await made.clock.runUntil(() => {
      for (const { metadata, startedAt } of made.instances(name)) {
        if (startedAt > 0n) starts.set(metadata?.attempt ?? 0, Number(startedAt) / 1e9 - startMs / 1000);
      }
      return starts.has(count);
    }, 36_000_000);
    return starts;
  };

  it('spaces the restarts of a crashing container from 10 s to 5 min', async () => {
    const made = bench();
    await made.start();
    made.desire(manifestPod('crash', { command: ['sh', '-c', 'exit 1'] }));
    const starts = await watchStarts(made, 'crash', 30);
    // The first restart is immediate.
    expect(starts.get(1)).toBeLessThan(2);
    const waits = Array.from(
      { length: 29 },
      (_, index) => Math.round((starts.get(index + 2)! - starts.get(index + 1)!) * 10) / 10,
    );
    expect(waits.slice(0, 5)).toEqual([10, 20, 40, 80, 160]);
    expect(new Set(waits.slice(5))).toEqual(new Set([300]));
    await made.clock.advance(0);
    expect(statusOf(made, 'crash')?.containerStatuses?.[0]).toMatchObject({ restartCount: 30 });
    // Only the newest dead instance stays.
    await made.clock.advance(2_000);
    expect(made.instances('crash').length).toBeLessThanOrEqual(2);
  });

  it('resets the back-off of a container that ran for ten minutes', async () => {
    const made = bench();
    await made.start();
    made.desire(manifestPod('tired', { command: ['sh', '-c', 'sleep 660; exit 1'] }));
    const starts = await watchStarts(made, 'tired', 6);
    for (let attempt = 1; attempt <= 6; attempt += 1)
      expect(starts.get(attempt)! - starts.get(attempt - 1)!).toBeLessThan(662);
  });

  it('follows the restart policies', async () => {
    const made = bench();
    await made.start();
    made.desire(
      manifestPod('never', { restartPolicy: 'Never', command: ['sh', '-c', 'exit 2'] }),
      manifestPod('on-failure', { restartPolicy: 'OnFailure', command: ['sh', '-c', 'exit 0'] }),
      manifestPod('always', { restartPolicy: 'Always', command: ['sh', '-c', 'exit 0'] }),
    );
    await made.clock.advance(30_000);
    expect(statusOf(made, 'never')).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ restartCount: 0, state: { terminated: { exitCode: 2 } } }],
    });
    expect(statusOf(made, 'on-failure')).toMatchObject({
      phase: 'Succeeded',
      containerStatuses: [{ restartCount: 0 }],
    });
    expect(statusOf(made, 'always')).toMatchObject({ phase: 'Running' });
    expect(statusOf(made, 'always')?.containerStatuses?.[0]?.restartCount).toBeGreaterThan(1);
    made.desire();
    await made.clock.runUntil(() => isEmpty(made));
  });

  it('shows at once why an image cannot be pulled, and retries', async () => {
    const made = bench({ missingImages: ['registry.example/missing:1'] });
    await made.start();
    made.desire(
      manifestPod('bad', { containers: [{ name: 'app', image: 'registry.example/missing:1' }] }),
      manifestPod('never', {
        containers: [{ name: 'app', image: 'registry.example/other:1', imagePullPolicy: 'Never' }],
      }),
      manifestPod('good'),
    );
    await made.clock.advance(1_500);
    const reason = (name: string) => statusOf(made, name)?.containerStatuses?.[0]?.state?.waiting?.reason;
    expect(reason('bad')).toMatch(/^(ErrImagePull|ImagePullBackOff)$/);
    expect(reason('never')).toBe('ErrImageNeverPull');
    expect(isReady(made, 'good')).toBe(true);
    await made.clock.advance(60_000);
    expect(made.fake.calls.get('pullImage')).toBeGreaterThanOrEqual(4);
  });

  it('stops a pod within its grace period and removes all of it', async () => {
    const made = bench();
    await made.start();
    made.desire(
      manifestPod('web', {
        terminationGracePeriodSeconds: 7,
        command: ['sh', '-c', "trap '' TERM; while true; do sleep 1; done"],
      }),
    );
    await made.clock.runUntil(() => isReady(made, 'web'));
    const beganMs = made.clock.now();
    made.desire();
    await made.clock.advance(3_000);
    expect(made.agent().pods.list()).toMatchObject([
      { metadata: { name: 'web', deletionTimestamp: expect.any(String) as string } },
    ]);
    await made.clock.runUntil(() => isEmpty(made));
    expect(made.clock.now() - beganMs).toBeGreaterThanOrEqual(7_000);
    expect(made.clock.now() - beganMs).toBeLessThan(8_000);
    await made.clock.advance(3_000);
    expect(made.agent().pods.list()).toEqual([]);
    expect(await made.files.nodeFiles.list('/root/pods')).toEqual([]);
  });

  it('replaces a changed pod, the new one after the old one', async () => {
    const made = bench();
    await made.start();
    made.desire(manifestPod('web', {}, 1));
    await made.clock.runUntil(() => isReady(made, 'web'));
    made.desire(manifestPod('web', {}, 2));
    await made.clock.runUntil(
      () => made.fake.snapshot().sandboxes[0]?.metadata?.uid === 'uid-web-2' && isReady(made, 'web'),
    );
    expect(made.running()).toEqual(['web/app']);
    expect(made.fake.snapshot().sandboxes).toHaveLength(1);
  });

  it('creates a new sandbox when the old one is lost, and restarts its containers', async () => {
    const made = bench();
    await made.start();
    made.desire(manifestPod('web'));
    await made.clock.runUntil(() => isReady(made, 'web'));
    await made.fake.runtime.stopPodSandbox({ podSandboxId: made.fake.snapshot().sandboxes[0]!.id });
    await made.clock.runUntil(() =>
      made.fake
        .snapshot()
        .sandboxes.some(({ metadata, state }) => metadata?.attempt === 1 && state === PodSandboxState.SANDBOX_READY),
    );
    await made.clock.runUntil(() => isReady(made, 'web'));
    expect(made.running()).toEqual(['web/app']);
    expect(statusOf(made, 'web')?.containerStatuses?.[0]?.restartCount).toBe(1);
  });

  it('rejects a pod with an unsupported field, which it names', async () => {
    const made = bench();
    await made.start();
    made.desire(
      manifestPod('volumes', {
        volumes: [{ name: 'data', iscsi: { targetPortal: '192.0.2.9', iqn: 'iqn.2026-01.example:disk', lun: 0 } }],
      }),
      manifestPod('plain'),
    );
    await made.clock.runUntil(() => isReady(made, 'plain'));
    expect(statusOf(made, 'volumes')).toMatchObject({
      phase: 'Failed',
      reason: 'PodFeatureUnsupported',
      message: 'Pod was rejected: this node agent does not support spec.volumes[0].iscsi',
    });
    expect(made.running()).toEqual(['plain/app']);
    made.desire();
    await made.clock.runUntil(() => made.agent().pods.list().length === 0);
  });

  it('recovers from every failure of the runtime by retries', async () => {
    for (const rpc of [
      'runPodSandbox',
      'podSandboxStatus',
      'createContainer',
      'startContainer',
      'pullImage',
      'imageStatus',
      'listContainers',
      'containerStatus',
    ] as const) {
      const made = bench();
      await made.start();
      await made.clock.advance(100);
      made.fake.failNext(rpc, new ServiceError(StatusCode.Internal, 'injected'));
      made.desire(manifestPod('web'));
      await made.clock.runUntil(() => isReady(made, 'web'), 120_000);
      expect(made.running(), rpc).toEqual(['web/app']);
    }
  });

  it('recovers from every failure of the runtime while a pod terminates', async () => {
    for (const rpc of [
      'stopContainer',
      'stopPodSandbox',
      'removeContainer',
      'removePodSandbox',
      'listPodSandbox',
    ] as const) {
      const made = bench();
      await made.start();
      made.desire(manifestPod('web'));
      await made.clock.runUntil(() => isReady(made, 'web'));
      made.fake.failNext(rpc, new ServiceError(StatusCode.Internal, 'injected'));
      made.desire();
      await made.clock.runUntil(() => isEmpty(made), 180_000);
    }
  });

  it('adopts running pods after a restart: no container restarts, removed pods terminate', async () => {
    const made = bench();
    await made.start();
    made.desire(manifestPod('stays'), manifestPod('goes'), manifestPod('changes', {}, 1));
    await made.clock.runUntil(() => ['stays', 'goes', 'changes'].every((name) => isReady(made, name)));
    const before = made.instances('stays')[0]!.id;
    await made.kill();
    made.desire(manifestPod('stays'), manifestPod('changes', {}, 2), manifestPod('comes'));
    await made.start();
    await made.clock.runUntil(
      () => made.running().join() === 'changes/app,comes/app,stays/app' && made.fake.snapshot().sandboxes.length === 3,
    );
    expect(made.instances('stays').map(({ id }) => id)).toEqual([before]);
    expect(
      made.fake
        .snapshot()
        .sandboxes.map(({ metadata }) => metadata?.uid)
        .sort(),
    ).toEqual(['uid-changes-2', 'uid-comes-1', 'uid-stays-1']);
  });

  it('leaves the pods running when it stops', async () => {
    const made = bench();
    await made.start();
    made.desire(manifestPod('web'));
    await made.clock.runUntil(() => isReady(made, 'web'));
    await made.agent()[Symbol.asyncDispose]();
    await made.clock.advance(60_000);
    expect(made.running()).toEqual(['web/app']);
  });

  it('uses replaced parts', async () => {
    const made = bench();
    await made.start({
      parts: {
        createPleg: (ports, options) => createPleg({ ...ports, hints: undefined }, { ...options, relistPeriodMs: 100 }),
      },
    });
    await made.clock.advance(1_000);
    expect(made.fake.calls.get('listPodSandbox')).toBeGreaterThan(9);
  });
});
