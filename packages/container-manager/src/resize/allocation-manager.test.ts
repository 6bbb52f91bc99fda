import type { AdmissionHandler, AdmissionRejection } from '@rxlet/agent-api';
import { createEventLog } from '@rxlet/component-base/events';
import { createVirtualClock, recordingLogger, recordingMetrics } from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { podUid } from '@rxlet/pod-model';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAllocationManager } from './allocation-manager.ts';
import { createAllocationStore } from './allocation-store.ts';
import { desiredResources, formatResourcesCheckpoint } from '@rxlet/pod-model/resize';
import type { ResizePolicies } from './resize-fit.ts';
import { createResizeMetrics } from './resize-metrics.ts';

const STATE = '/root/allocated_pods_state';

interface BenchOptions {
  readonly policies?: ResizePolicies;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly handlers?: readonly AdmissionHandler[];
  readonly files?: ReturnType<typeof createMemoryFiles>;
}

function podOf(name: string, cpu: string, extra: Partial<Pod['metadata']> & { priority?: number } = {}): Pod {
  const { priority, ...metadata } = extra;
  const amounts = { cpu, memory: '64Mi' };
  return testPod({
    name,
    metadata,
    containers: [{ resources: { requests: amounts, limits: amounts } }],
    ...(priority !== undefined && { spec: { priority } }),
  });
}

async function bench({
  policies,
  handlers = [],
  files = createMemoryFiles(),
  allocatable = { cpu: '2', memory: '1Gi' },
}: BenchOptions = {}) {
  const clock = createVirtualClock();
  const events = createEventLog(clock);
  const logger = recordingLogger();
  const metrics = recordingMetrics();
  const pods = new Map<string, Pod>();
  const changed: string[] = [];
  const state = { sourcesReady: true };
  const manager = createAllocationManager(
    {
      store: createAllocationStore({ files: files.nodeFiles, clock, logger }, '/root'),
      clock,
      events,
      logger,
      activePods: () => [...pods.values()],
      sourcesReady: () => state.sourcesReady,
      handlers: () => handlers,
      metrics: createResizeMetrics(metrics, () => []),
      statusOf: (pod) => pods.get(podUid(pod))?.status,
      allocatable: () => allocatable,
    },
    policies,
  );
  onTestFinished(() => manager[Symbol.asyncDispose]());
  manager.changes$.subscribe({ next: ({ metadata }) => changed.push(metadata!.name!), error: () => undefined });
  await manager.start();
  return {
    manager,
    files,
    clock,
    pods,
    changed,
    state,
    logger,
    metrics,
    admit(pod: Pod) {
      pods.set(pod.metadata!.uid!, pod);
      manager.admit(pod);
    },
    async desire(...desired: readonly Pod[]) {
      for (const pod of desired) {
        pods.set(pod.metadata!.uid!, pod);
        manager.desire(pod);
      }
      await clock.settle();
    },
    cpuOf: (pod: Pod) => manager.allocated(pod).spec!.containers[0]!.resources!.requests!['cpu'],
    reasons: () => events.list().map(({ reason }) => reason),
    messages: () => events.list().map(({ message }) => message),
  };
}

describe('the allocation manager', () => {
  it('allocates what a pod desires at its admission, and a resize that fits', async () => {
    const { admit, desire, cpuOf, changed, messages, manager } = await bench();
    const web = podOf('web', '500m');
    expect(manager.allocated(web)).toBe(web);
    admit(web);
    const resized = podOf('web', '1', { generation: 2 });
    expect(cpuOf(resized)).toBe('500m');
    await desire(resized);
    expect(cpuOf(resized)).toBe('1');
    expect(changed).toEqual(['web']);
    expect(messages()).toEqual([
      'Pod resize started: {"containers":[{"name":"app","resources":{"requests":{"cpu":"1","memory":"64Mi"},"limits":{"cpu":"1","memory":"64Mi"}}}],"generation":2}',
    ]);
  });

  it('writes amounts that are equal as no resize', async () => {
    const { admit, desire, reasons } = await bench();
    admit(podOf('web', '500m'));
    await desire(podOf('web', '0.5'));
    expect(reasons()).toEqual([]);
  });

  it('keeps a resize that can never be put into effect off for good', async () => {
    const { admit, desire, cpuOf, manager, reasons, clock } = await bench({ policies: { cpuManagerPolicy: 'static' } });
    admit(podOf('web', '500m'));
    const resized = podOf('web', '1', { generation: 2 });
    await desire(resized);
    await clock.advance(600_000);
    await desire(resized);
    expect(cpuOf(resized)).toBe('500m');
    expect(manager.condition(resized)).toMatchObject({
      reason: 'Infeasible',
      message: 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"',
      observedGeneration: 2,
    });
    expect(reasons()).toEqual(['ResizeInfeasible']);
  });

  it.each([
    [{ cpuManagerPolicy: 'static' }, ['2', '1'], ['64Mi', '64Mi'], 'CPU Manager policy "static"'],
    [{ memoryManagerPolicy: 'Static' }, ['1', '1'], ['64Mi', '32Mi'], 'Memory Manager policy "Static"'],
    [{ cpuManagerPolicy: 'static' }, ['1', '1'], ['64Mi', '32Mi'], undefined],
  ] as const)(
    'judges the containers of a Guaranteed pod under the policies %j, not their sum',
    async (policies, [oneCpu, otherCpu], [oneMemory, otherMemory], policy) => {
      const { admit, desire, manager } = await bench({ policies, allocatable: { cpu: '4', memory: '1Gi' } });
      const podWith = (generation: number, ...each: readonly { readonly cpu: string; readonly memory: string }[]) =>
        testPod({
          name: 'web',
          metadata: { generation },
          containers: each.map((amounts, index) => ({
            name: `app${String(index)}`,
            resources: { requests: amounts, limits: amounts },
          })),
        });
      const one = { cpu: oneCpu, memory: oneMemory };
      const other = { cpu: otherCpu, memory: otherMemory };
      admit(podWith(1, one, other));
      const swapped = podWith(2, other, one);
      await desire(swapped);
      const message = policy && `Resize is infeasible for Guaranteed Pods alongside ${policy}`;
      expect(manager.condition(swapped)?.message).toBe(message);
    },
  );

  it.each([
    ['64Mi', '96Mi', undefined, true, 'In-place resize of containers with swap is not supported.'],
    ['64Mi', '96Mi', 'RestartContainer', true, undefined],
    ['64Mi', '96Mi', undefined, false, undefined],
    ['64Mi', '64Mi', undefined, true, undefined],
  ])(
    'keeps the swap of a running container: from %s to %s with the policy %s, limited swap %s',
    async (before, after, restartPolicy, limitedSwap, message) => {
      const { admit, desire, manager } = await bench({ policies: { limitedSwap } });
      const podWith = (cpu: string, memory: string, generation: number): Pod => {
        const resizePolicy = restartPolicy === undefined ? [] : [{ resourceName: 'memory', restartPolicy }];
        const resources = { requests: { cpu, memory }, limits: { memory: '128Mi' } };
        return testPod({ name: 'web', metadata: { generation }, containers: [{ resources, resizePolicy }] });
      };
      admit(podWith('500m', before, 1));
      const resized = podWith('1', after, 2);
      await desire(resized);
      expect(manager.condition(resized)?.message).toBe(message);
    },
  );

  it('judges by the admission handlers too, without the preemption of other pods', async () => {
    let decision: Awaited<ReturnType<AdmissionHandler['admit']>> = { reason: 'OutOfpods', message: 'too many' };
    const handlers: AdmissionHandler[] = [{ name: 'test', admit: () => decision }];
    const { admit, desire, manager, cpuOf, clock } = await bench({ handlers });
    admit(podOf('web', '500m'));
    const resized = podOf('web', '1', { generation: 2 });
    await desire(resized);
    expect(manager.condition(resized)).toMatchObject({ reason: 'Deferred', message: 'too many' });
    decision = { timeoutMs: 1000, prepare: () => Promise.reject(new Error('a pod was preempted')) };
    manager.retry();
    await clock.settle();
    expect(manager.condition(resized)).toMatchObject({ reason: 'Deferred' });
    decision = undefined;
    await clock.advance(180_000);
    expect(cpuOf(resized)).toBe('1');
    expect(manager.condition(resized)).toBeUndefined();
  });

  it.each<[string, (node: Awaited<ReturnType<typeof bench>>) => Promise<void>]>([
    ['pod_updated', ({ desire }) => desire(podOf('other', '500m', { generation: 2 }))],
    [
      'pod_terminated',
      async ({ pods, manager, clock }) => {
        pods.delete('uid-other');
        manager.retry();
        await clock.settle();
      },
    ],
    [
      'periodic_retry',
      async ({ pods, clock }) => {
        pods.delete('uid-other');
        await clock.advance(180_000);
      },
    ],
  ])('counts a deferred resize that was accepted, with the trigger %s', async (trigger, free) => {
    const node = await bench();
    for (const name of ['web', 'other']) node.admit(podOf(name, '1'));
    const resized = podOf('web', '1500m', { generation: 2 });
    await node.desire(resized);
    expect(node.manager.condition(resized)).toMatchObject({ reason: 'Deferred' });
    await free(node);
    expect(node.cpuOf(resized)).toBe('1500m');
    expect([...node.metrics.values].filter(([series]) => series.includes('deferred'))).toEqual([
      [`kubelet_pod_deferred_accepted_resizes_total{retry_trigger="${trigger}"}`, 1],
    ]);
  });

  it('keeps the last reported generation until a resize is decided on', async () => {
    let answer: (rejection: AdmissionRejection | undefined) => void = () => undefined;
    const admit = (): Promise<AdmissionRejection | undefined> => new Promise((resolve) => (answer = resolve));
    const { manager, clock, ...node } = await bench({ handlers: [{ name: 'slow', admit }] });
    node.admit(podOf('web', '500m', { generation: 1 }));
    const versionOf = (pod: Pod) => ({ cpu: node.cpuOf(pod), generation: manager.allocated(pod).metadata?.generation });
    const second = podOf('web', '1', { generation: 2 });
    await node.desire(second);
    expect(versionOf(second)).toEqual({ cpu: '500m', generation: undefined });
    const third = { ...podOf('web', '1500m', { generation: 3 }), status: { observedGeneration: 1 } };
    await node.desire(third);
    expect(versionOf(third)).toEqual({ cpu: '500m', generation: 1 });
    answer(undefined);
    await clock.settle();
    answer({ reason: 'OutOfcpu', message: 'too much' });
    await clock.settle();
    expect(versionOf(third)).toEqual({ cpu: '500m', generation: 3 });
    manager.retry();
    await clock.settle();
    expect(versionOf(third)).toEqual({ cpu: '500m', generation: 3 });
    answer(undefined);
    await clock.settle();
    expect(versionOf(third)).toEqual({ cpu: '1500m', generation: 3 });
  });

  it('decides on no resize of a pod that terminates, until the pod is admitted again', async () => {
    const { admit, desire, cpuOf, manager, clock, pods } = await bench();
    for (const name of ['web', 'other']) admit(podOf(name, '1'));
    const resized = podOf('web', '1500m', { generation: 2 });
    await desire(resized);
    manager.terminating('uid-web');
    pods.delete('uid-other');
    manager.retry();
    await clock.settle();
    expect(cpuOf(resized)).toBe('1');
    admit(resized);
    manager.retry();
    await clock.settle();
    expect(cpuOf(resized)).toBe('1500m');
  });

  it('decides on resizes that free resources first, then by priority', async () => {
    const { admit, desire, cpuOf, state, manager, clock } = await bench();
    for (const [name, cpu] of [
      ['big', '1500m'],
      ['low', '200m'],
      ['high', '200m'],
    ] as const)
      admit(podOf(name, cpu));
    state.sourcesReady = false;
    const [low, high, big] = [podOf('low', '1'), podOf('high', '1', { priority: 100 }), podOf('big', '500m')];
    await desire(low, high, big);
    expect([cpuOf(low), cpuOf(high), cpuOf(big)]).toEqual(['200m', '200m', '1500m']);
    state.sourcesReady = true;
    manager.retain(() => true);
    await clock.settle();
    expect([cpuOf(low), cpuOf(high), cpuOf(big)]).toEqual(['200m', '1', '500m']);
  });

  it('keeps allocations over a restart, as a kubelet can read them', async () => {
    const { admit, files, manager } = await bench();
    const web = podOf('web', '500m');
    admit(web);
    await manager[Symbol.asyncDispose]();
    const written = await files.nodeFiles.readPrivate(STATE, 1e6);
    expect(written).toBe(formatResourcesCheckpoint(new Map([['uid-web', desiredResources(web)]])));
    const next = await bench({ files });
    expect(next.cpuOf(podOf('web', '1'))).toBe('500m');
    next.manager.retain(() => false);
    expect(next.cpuOf(podOf('web', '1'))).toBe('1');
  });

  it('keeps the claims of a container whose allocated resources differ, also after a restart', async () => {
    const claims = [{ name: 'gpu' }];
    const claiming = (cpu: string): Pod => {
      const pod = podOf('web', cpu);
      const containers = pod.spec!.containers.map((one) => ({ ...one, resources: { ...one.resources, claims } }));
      return { ...pod, spec: { ...pod.spec!, containers } };
    };
    const { admit, files, manager } = await bench();
    admit(claiming('500m'));
    await manager[Symbol.asyncDispose]();
    const next = await bench({ files });
    expect(next.cpuOf(claiming('1'))).toBe('500m');
    expect(next.manager.allocated(claiming('1')).spec!.containers[0]!.resources!.claims).toEqual(claims);
  });

  it('continues a deferred resize of an earlier run without a new event', async () => {
    const { admit, desire, manager, reasons } = await bench();
    admit(podOf('web', '500m'));
    const condition = { type: 'PodResizePending', status: 'True', reason: 'Deferred', observedGeneration: 2 } as const;
    const conditions = [{ ...condition, lastTransitionTime: '2025-12-31T00:00:00Z' }];
    await desire({ ...podOf('web', '3', { generation: 2 }), status: { conditions } });
    expect(manager.condition(podOf('web', '3'))).toMatchObject({
      reason: 'Deferred',
      lastTransitionTime: '2025-12-31T00:00:00Z',
    });
    expect(reasons()).toEqual([]);
  });

  it('starts with a damaged file, and logs it', async () => {
    const files = createMemoryFiles();
    await files.nodeFiles.makeDirectory('/root', 0o750);
    await files.nodeFiles.writeFile(STATE, '{', 0o600);
    const { logger, cpuOf } = await bench({ files });
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { path: STATE } }]);
    expect(cpuOf(podOf('web', '1'))).toBe('1');
  });

  it('takes the allocation of a pod from its last status when the record is lost', async () => {
    const { admit, desire, cpuOf, manager } = await bench();
    const resized = podOf('web', '4', { generation: 2 });
    const containerStatuses = [
      {
        name: resized.spec!.containers[0]!.name,
        ready: true,
        restartCount: 0,
        image: '',
        imageID: '',
        allocatedResources: { cpu: '1', memory: '64Mi' },
      },
    ];
    const running = { ...resized, status: { containerStatuses, allocatedResources: { cpu: '1', memory: '64Mi' } } };
    expect(cpuOf(running)).toBe('4');
    admit(running);
    expect(cpuOf(running)).toBe('1');
    await desire(running);
    expect(manager.allocated(running).spec).not.toHaveProperty('resources');
    expect(cpuOf(running)).toBe('1');
    expect(manager.condition(running)).toMatchObject({ reason: 'Deferred' });
  });
});
