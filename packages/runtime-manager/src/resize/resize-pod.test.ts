import { createManagerBench, type ManagerBench, type ManagerBenchParts } from '../testing/manager-bench.ts';
import type { PodCgroups, PodCgroupValues } from '@rxlet/agent-api/node';
import { seededRandom } from '@rxlet/component-base';
import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import { type LinuxContainerResources, type RuntimeService, ServiceError, StatusCode } from '@rxlet/cri-api';
import { createFakeRuntime, createMemoryLogs, type FakeRuntime } from '@rxlet/fake-cri';
import type { Container, Pod, ResourceRequirements } from '@rxlet/kube-api';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';

const CHECKPOINT = '/var/lib/kubelet/actuated_pods_state';
const MI = 1024 ** 2;

interface Bench extends ManagerBench {
  readonly fake: FakeRuntime;
  /** Resources of a running container in the runtime: thousandths of a CPU and mebibytes; with its restart count. */
  held(pod: Pod, name?: string): Promise<{ cpu?: number; request?: number; memoryMi?: number; restarts: number }>;
}

interface BenchOptions extends Partial<ManagerBenchParts> {
  readonly wrap?: (runtime: RuntimeService) => Partial<RuntimeService>;
  /** Lets another manager continue on the runtime of an earlier one. */
  readonly after?: { readonly clock: VirtualClock; readonly fake: FakeRuntime };
  readonly usageBytes?: bigint;
}

function bench({ wrap, after, usageBytes = 1n, ports, ...rest }: BenchOptions = {}): Bench {
  const clock = after?.clock ?? createVirtualClock();
  const fake = after?.fake ?? createFakeRuntime({ clock, random: seededRandom(2), logs: createMemoryLogs() });
  const runtime = { ...fake.runtime, ...wrap?.(fake.runtime) };
  const memoryUsage = { container: async () => usageBytes, pod: async () => usageBytes };
  const made = createManagerBench({ clock, runtime, images: fake.images, ...rest, ports: { memoryUsage, ...ports } });
  return {
    ...made,
    fake,
    async held(pod, name = 'app') {
      const newest = (await made.status(pod)).containers.find((container) => container.name === name)!;
      const { cpuLimitMillis, cpuRequestMillis, memoryLimitBytes } = newest.resources ?? {};
      return {
        ...(cpuLimitMillis !== undefined && { cpu: cpuLimitMillis }),
        ...(cpuRequestMillis !== undefined && { request: cpuRequestMillis }),
        ...(memoryLimitBytes !== undefined && { memoryMi: memoryLimitBytes / MI }),
        restarts: newest.restartCount,
      };
    },
  };
}

const both = (cpu: string, memory: string): ResourceRequirements => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});
const pod = (resources: ResourceRequirements, more: Partial<Container> = {}): Pod =>
  testPod({ containers: [{ resources, ...more }] });
const target = 'web_default(uid-web)';
const resized = { action: 'ResizePodInPlace', target };
const failed = (message: string) => ({ ...resized, reason: 'ResizePodInPlaceError', message });

describe('resize in place', () => {
  it('changes the resources of a running container, and then needs no further steps', async () => {
    const b = bench();
    await b.settle(pod(both('500m', '64Mi')));
    expect(await b.held(pod({}))).toEqual({ cpu: 500, request: 500, memoryMi: 64, restarts: 0 });
    const larger = pod(both('1', '128Mi'));
    expect(await b.sync(larger)).toEqual({ results: [resized] });
    expect(await b.held(larger)).toEqual({ cpu: 1000, request: 1000, memoryMi: 128, restarts: 0 });
    expect(await b.sync(larger)).toEqual({ results: [] });
    expect(await b.sync(pod(both('250m', '32Mi')))).toEqual({ results: [resized] });
    expect(await b.held(larger)).toEqual({ cpu: 250, request: 250, memoryMi: 32, restarts: 0 });
    expect(await b.containers(larger)).toEqual(['app/0 running']);
  });

  it('updates one resource after the other, keeping the other’s current amount', async () => {
    const sent: (Partial<LinuxContainerResources> & { readonly id: string })[] = [];
    const b = bench({
      wrap: ({ updateContainerResources }) => ({
        async updateContainerResources(request, options) {
          const { cpuQuota = 0n, cpuShares = 0n, memoryLimitInBytes = 0n } = request.linux!;
          sent.push({ id: request.containerId!, cpuQuota, cpuShares, memoryLimitInBytes });
          return updateContainerResources(request, options);
        },
      }),
    });
    const two = (a: ResourceRequirements, c: ResourceRequirements): Pod =>
      testPod({
        containers: [
          { name: 'a', resources: a },
          { name: 'c', resources: c },
        ],
      });
    const before = two(both('1', '64Mi'), both('1', '64Mi'));
    await b.settle(before);
    await b.sync(two(both('2', '128Mi'), both('500m', '32Mi')));
    const [a, c] = [await b.idOf(before, 'a'), await b.idOf(before, 'c')];
    const mib = (amount: number): bigint => BigInt(amount * MI);
    expect(sent).toEqual([
      { id: c, memoryLimitInBytes: mib(32), cpuQuota: 100_000n, cpuShares: 1024n },
      { id: a, memoryLimitInBytes: mib(128), cpuQuota: 100_000n, cpuShares: 1024n },
      { id: c, memoryLimitInBytes: mib(32), cpuQuota: 50_000n, cpuShares: 512n },
      { id: a, memoryLimitInBytes: mib(128), cpuQuota: 200_000n, cpuShares: 2048n },
    ]);
  });

  it('restarts a container whose resize policy demands it', async () => {
    const b = bench();
    const resizePolicy = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];
    await b.settle(pod(both('500m', '64Mi'), { resizePolicy }));
    const larger = pod(both('500m', '128Mi'), { resizePolicy });
    expect((await b.during(b.sync(larger))).results.map(({ action }) => action)).toEqual([
      'KillContainer',
      'ResizePodInPlace',
      'StartContainer',
    ]);
    expect(b.eventTexts()).toContain('Killing: Container app resize requires restart');
    expect(await b.held(larger)).toEqual({ cpu: 500, request: 500, memoryMi: 128, restarts: 1 });
    expect(await b.sync(larger)).toEqual({ results: [] });
  });

  it('changes no limit while the memory in use is above the new one, and retries', async () => {
    let usageBytes: bigint | undefined = BigInt(48 * MI);
    const b = bench({ ports: { memoryUsage: { container: async () => usageBytes, pod: async () => undefined } } });
    await b.settle(pod(both('500m', '64Mi')));
    const smaller = pod(both('250m', '32Mi'));
    const { results, error } = await b.sync(smaller);
    const message =
      'cannot decrease memory limits: attempting to set container "app" memory limit (33554432) below current usage (50331648)';
    expect(results).toEqual([failed(message)]);
    expect(error?.message).toContain('failed to "ResizePodInPlace"');
    expect(await b.held(smaller)).toEqual({ cpu: 500, request: 500, memoryMi: 64, restarts: 0 });
    usageBytes = undefined;
    expect((await b.sync(smaller)).results).toEqual([
      failed('cannot decrease memory limits: missing container "app" memory usage'),
    ]);
    usageBytes = BigInt(16 * MI);
    expect(await b.sync(smaller)).toEqual({ results: [resized] });
    expect(await b.held(smaller)).toEqual({ cpu: 250, request: 250, memoryMi: 32, restarts: 0 });
  });

  it('reads the memory in use from the runtime by default', async () => {
    const b = bench({ ports: { memoryUsage: undefined } });
    await b.settle(pod(both('500m', '1Gi')));
    expect((await b.sync(pod(both('500m', '1Mi')))).results[0]?.message).toMatch(
      /memory limit \(1048576\) below current usage \(\d+\)$/,
    );
    expect(await b.sync(pod(both('500m', '512Mi')))).toEqual({ results: [resized] });
  });

  it('continues with the next sync after a failure, without repeating completed updates', async () => {
    const b = bench();
    await b.settle(pod(both('500m', '64Mi')));
    const larger = pod(both('1', '128Mi'));
    b.fake.setFailpoint('updateContainerResources', '1*off->1*error(unavailable: busy)');
    expect((await b.sync(larger)).results).toEqual([failed('rpc error: code = Unavailable desc = busy')]);
    expect(await b.held(larger)).toEqual({ cpu: 500, request: 500, memoryMi: 128, restarts: 0 });
    const before = b.fake.calls.get('updateContainerResources') ?? 0;
    expect(await b.manager.isResizeInProgress(larger, await b.status(larger))).toBe(true);
    expect(await b.sync(larger)).toEqual({ results: [resized] });
    expect(b.fake.calls.get('updateContainerResources')).toBe(before + 1);
    expect(await b.held(larger)).toEqual({ cpu: 1000, request: 1000, memoryMi: 128, restarts: 0 });
    expect(await b.manager.isResizeInProgress(larger, await b.status(larger))).toBe(false);
  });

  it('does not keep containers from starting when it fails', async () => {
    const b = bench();
    const two = (resources: ResourceRequirements): Pod =>
      testPod({ containers: [{ name: 'a', resources }, { name: 'b' }] });
    await b.settle(two(both('500m', '64Mi')));
    b.fake.exitContainer(await b.idOf(two({}), 'b'), 1);
    b.fake.setFailpoint('updateContainerResources', '1*error(unavailable: busy)');
    const { results } = await b.sync(two(both('1', '64Mi')));
    expect(results).toEqual([
      failed('rpc error: code = Unavailable desc = busy'),
      { action: 'StartContainer', target: 'b' },
    ]);
  });

  it('comes after init containers and before regular ones', async () => {
    const b = bench();
    const sidecar = (resources: ResourceRequirements): Pod =>
      testPod({
        initContainers: [{ name: 'proxy', restartPolicy: 'Always', resources }],
        containers: [{ name: 'app' }],
      });
    await b.settle(sidecar(both('500m', '64Mi')));
    b.fake.exitContainer(await b.idOf(sidecar({}), 'app'), 1);
    const larger = sidecar(both('1', '64Mi'));
    expect((await b.sync(larger)).results).toEqual([resized, { action: 'StartContainer', target: 'app' }]);
    expect(await b.held(larger, 'proxy')).toMatchObject({ cpu: 1000, restarts: 0 });
  });

  it('records its duration', async () => {
    const observed: unknown[] = [];
    const metrics: Metrics = {
      ...noopMetrics,
      histogram: ({ name }) => ({
        observe: (value, labels) => {
          if (name === 'kubelet_pod_resize_duration_milliseconds') observed.push([value, labels]);
        },
      }),
    };
    const b = bench({ ports: { metrics } });
    await b.settle(pod(both('500m', '64Mi')));
    b.fake.setFailpoint('updateContainerResources', '1*error(unavailable: busy)->1*delay(250)');
    await b.sync(pod(both('1', '64Mi')));
    await b.during(b.sync(pod(both('1', '64Mi'))));
    expect(observed).toEqual([
      [0, { success: 'false' }],
      [250, { success: 'true' }],
    ]);
  });
});

describe('resize in place and restarts of the agent', () => {
  const resizePolicy = [
    { resourceName: 'cpu', restartPolicy: 'RestartContainer' },
    { resourceName: 'memory', restartPolicy: 'RestartContainer' },
  ];

  it('restores the resources in effect', async () => {
    const first = bench();
    const large = pod(both('1', '128Mi'));
    await first.settle(pod(both('500m', '64Mi')));
    await first.sync(large);
    await first.manager[Symbol.asyncDispose]();
    const second = bench({ after: first, files: first.files });
    expect(await second.sync(large)).toEqual({ results: [] });
    expect((await second.manager.actuatedResources('uid-web')).containers).toEqual(
      new Map([['app', both('1', '128Mi')]]),
    );
  });

  it('changes nothing while the record cannot be written', async () => {
    const b = bench();
    await b.settle(pod(both('500m', '64Mi')));
    b.files.fault = (operation) =>
      operation === 'replaceFile' ? Promise.reject(new Error('no space left on device')) : undefined;
    const larger = pod(both('1', '64Mi'));
    const message = `cannot write ${CHECKPOINT}: no space left on device`;
    expect(await b.sync(larger)).toMatchObject({ results: [failed(message)] });
    expect(await b.held(larger)).toMatchObject({ cpu: 500 });
    b.files.fault = undefined;
    expect(await b.sync(larger)).toEqual({ results: [resized] });
    expect(await b.held(larger)).toMatchObject({ cpu: 1000 });
  });

  it('undoes an update whose answer was lost when the former resources are desired again', async () => {
    let isLost = true;
    const b = bench({
      wrap: ({ updateContainerResources }) => ({
        async updateContainerResources(request, options) {
          await updateContainerResources(request, options);
          if (isLost) throw new ServiceError(StatusCode.Unavailable, 'connection reset');
          return {};
        },
      }),
    });
    const before = pod(both('500m', '64Mi'));
    await b.settle(before);
    expect(await b.sync(pod(both('1', '64Mi')))).toMatchObject({
      results: [failed('rpc error: code = Unavailable desc = connection reset')],
    });
    isLost = false;
    expect(await b.sync(before)).toEqual({ results: [resized] });
    expect(await b.held(before)).toEqual({ cpu: 500, request: 500, memoryMi: 64, restarts: 0 });
    expect(await b.sync(before)).toEqual({ results: [] });
  });

  it.each([
    ['stay', '1', []],
    ['are undone', '500m', [resized]],
  ])('knows of an update that was not recorded on the disk: its resources %s', async (_, cpu, results) => {
    const first = bench();
    await first.settle(pod(both('500m', '64Mi')));
    const { files } = first;
    let writes = 0;
    files.fault = (operation) =>
      operation === 'replaceFile' && ++writes > 1 ? new Promise<never>(() => undefined) : undefined;
    void first.sync(pod(both('1', '64Mi')));
    await first.clock.settle();
    expect(await first.held(pod({}))).toMatchObject({ cpu: 1000 });
    files.fault = undefined;
    const second = bench({ after: first, files });
    const desired = pod(both(cpu, '64Mi'));
    expect(await second.sync(desired)).toEqual({ results });
    const millis = cpu === '1' ? 1000 : 500;
    expect(await second.held(desired)).toEqual({ cpu: millis, request: millis, memoryMi: 64, restarts: 0 });
    expect(await second.sync(desired)).toEqual({ results: [] });
  });

  it.each([
    ['is lost', undefined],
    ['is damaged', '{"data":"{'],
  ])('restarts no healthy container when its file %s', async (_, content) => {
    const first = bench();
    const resources = { requests: { cpu: '100m', memory: '48Mi' }, limits: { memory: '64Mi' } };
    const unchanged = pod(resources, { resizePolicy });
    await first.settle(unchanged);
    const files = createMemoryFiles({ files: content === undefined ? {} : { [CHECKPOINT]: content } });
    const second = bench({ after: first, files });
    expect(await second.sync(unchanged)).toEqual({ results: [] });
    // From the runtime, except the memory request, which runtimes do not report.
    expect((await second.manager.actuatedResources('uid-web')).containers.get('app')).toEqual(resources);
  });

  it('resizes containers whose spec changed while the file was lost', async () => {
    const first = bench();
    await first.settle(pod(both('500m', '64Mi')));
    const second = bench({ after: first, files: createMemoryFiles() });
    const larger = pod(both('1', '64Mi'), { resizePolicy: resizePolicy.slice(1) });
    expect(await second.sync(larger)).toEqual({ results: [resized] });
    expect(await second.held(larger)).toEqual({ cpu: 1000, request: 1000, memoryMi: 64, restarts: 0 });
  });

  it('updates containers without restarts when the runtime reports no resources', async () => {
    const wrap = ({ containerStatus }: RuntimeService): Partial<RuntimeService> => ({
      async containerStatus(request, options) {
        const response = await containerStatus(request, options);
        return { ...response, status: { ...response.status!, resources: undefined } };
      },
    });
    const first = bench();
    const unchanged = pod(both('500m', '64Mi'), { resizePolicy: resizePolicy.slice(1) });
    await first.settle(unchanged);
    const files = createMemoryFiles();
    const second = bench({ after: first, files, wrap });
    // The bench reads the runtime directly, so resources are removed from its responses here.
    const status = await first.status(unchanged);
    const stripped = { ...status, containers: status.containers.map(({ resources: _, ...rest }) => rest) };
    expect((await second.manager.syncPod(unchanged, stripped)).results).toEqual([resized]);
    expect(await first.held(unchanged)).toMatchObject({ cpu: 500, memoryMi: 64, restarts: 0 });
  });

  it('replaces the record of an earlier instance before a new one is created', async () => {
    const first = bench();
    await first.settle(pod(both('500m', '64Mi'), { resizePolicy }));
    const larger = pod(both('1', '128Mi'), { resizePolicy });
    first.fake.exitContainer(await first.idOf(larger, 'app'), 1);
    await first.sync(larger);
    // Killed at this point, the agent must not take the old record for that of the new container.
    const files = createMemoryFiles({ files: { [CHECKPOINT]: first.files.text(CHECKPOINT)! } });
    const second = bench({ after: first, files });
    expect(await second.sync(larger)).toEqual({ results: [] });
    expect(await second.held(larger)).toMatchObject({ cpu: 1000, restarts: 1 });
  });

  it('removes the record of a removed pod, also of one that was removed while no agent ran', async () => {
    const b = bench();
    const pods = ['one', 'two'].map((name) => testPod({ name, containers: [{ resources: both('1', '1Gi') }] }));
    for (const each of pods) await b.settle(each);
    const [one, two] = pods as [Pod, Pod];
    const sizeOf = async (name: string): Promise<number> =>
      (await b.manager.actuatedResources(`uid-${name}`)).containers.size;
    await b.during(b.manager.killPod(one, await b.status(one)));
    await b.manager.removePod(await b.status(one));
    expect([await sizeOf('one'), await sizeOf('two')]).toEqual([0, 1]);
    const request = { shouldContentBeRemoved: (uid: string) => uid === 'uid-two', minAgeMs: 0, maxPerPodContainer: 1 };
    await b.manager.collectGarbage({ ...request, maxContainers: -1, allSourcesReady: false });
    expect(await sizeOf('two')).toBe(1);
    await b.during(b.manager.killPod(two, await b.status(two)));
    await b.manager.collectGarbage({ ...request, maxContainers: -1, allSourcesReady: true });
    expect(await sizeOf('two')).toBe(0);
  });
});

describe('resize of the cgroup of a pod', () => {
  interface Cgroups extends PodCgroups {
    values: PodCgroupValues;
    failNext: string | undefined;
  }
  const none: PodCgroupValues = { cpuShares: 2, cpuQuotaUs: -1, cpuPeriodUs: 100_000, memoryLimitBytes: -1 };
  const values = (cpuShares: number, cpuQuotaUs: number, memoryMi: number): PodCgroupValues => ({
    ...none,
    cpuShares,
    cpuQuotaUs,
    memoryLimitBytes: memoryMi * MI,
  });

  /** A bench that keeps pod cgroups, and the log of what was set, in order: `pod` or the container, then what. */
  function cgroupBench(initial: PodCgroupValues, options: BenchOptions = {}) {
    const log: string[] = [];
    const sandboxUpdates: unknown[] = [];
    const cgroups: Cgroups = {
      values: initial,
      failNext: undefined,
      parentOf: () => '/kubepods/pod',
      podsPath: () => '/kubepods',
      read: async () => cgroups.values,
      async write(_, changed) {
        log.push(`pod ${Object.keys(changed).join(' ')}`);
        cgroups.values = { ...cgroups.values, ...changed };
        const failure = cgroups.failNext;
        cgroups.failNext = undefined;
        if (failure !== undefined) throw new Error(failure);
      },
    };
    const b = bench({
      wrap: ({ updateContainerResources, updatePodSandboxResources }) => ({
        async updateContainerResources(request, callOptions) {
          log.push(
            `container ${String(Number(request.linux!.memoryLimitInBytes) / MI)}Mi ${String(request.linux!.cpuQuota)}`,
          );
          return updateContainerResources(request, callOptions);
        },
        async updatePodSandboxResources(request, callOptions) {
          const { cpuShares, cpuQuota, memoryLimitInBytes } = request.resources!;
          sandboxUpdates.push([Number(cpuShares), Number(cpuQuota), Number(memoryLimitInBytes) / MI]);
          return updatePodSandboxResources(request, callOptions);
        },
      }),
      ...options,
      ports: { podCgroups: cgroups, ...options.ports },
    });
    return { b, cgroups, log, sandboxUpdates };
  }

  it('is raised before its containers', async () => {
    const { b, cgroups, log, sandboxUpdates } = cgroupBench(values(512, 50_000, 64));
    await b.settle(pod(both('500m', '64Mi')));
    expect(await b.sync(pod(both('1', '128Mi')))).toEqual({ results: [resized] });
    expect(log).toEqual([
      'pod memoryLimitBytes',
      'container 128Mi 50000',
      'pod cpuQuotaUs cpuPeriodUs',
      'pod cpuShares',
      'container 128Mi 100000',
    ]);
    expect(sandboxUpdates).toEqual([
      [512, 50_000, 128],
      [512, 100_000, 128],
      [1024, 100_000, 128],
    ]);
    expect(cgroups.values).toEqual(values(1024, 100_000, 128));
  });

  it('is lowered after its containers', async () => {
    const { b, cgroups, log } = cgroupBench(values(1024, 100_000, 128));
    await b.settle(pod(both('1', '128Mi')));
    await b.sync(pod(both('500m', '64Mi')));
    expect(log).toEqual([
      'container 64Mi 100000',
      'pod memoryLimitBytes',
      'container 64Mi 50000',
      'pod cpuShares',
      'pod cpuQuotaUs cpuPeriodUs',
    ]);
    expect(cgroups.values).toEqual(values(512, 50_000, 64));
  });

  it('keeps a limit that the spec no longer sets', async () => {
    const { b, cgroups } = cgroupBench(values(512, 50_000, 64));
    await b.settle(pod({ requests: { cpu: '500m' } }));
    await b.sync(pod({ requests: { cpu: '1' } }));
    expect(cgroups.values).toEqual(values(1024, 50_000, 64));
  });

  it('is not lowered below the memory in use', async () => {
    const { b, log } = cgroupBench(values(512, 50_000, 128), { usageBytes: BigInt(100 * MI) });
    await b.settle(pod(both('500m', '128Mi')));
    const { results } = await b.sync(pod(both('500m', '64Mi')));
    const limits = 'memory limit (67108864) below current usage (104857600)';
    expect(results).toEqual([
      failed(
        `cannot decrease memory limits: [attempting to set pod ${limits}, attempting to set container "app" ${limits}]`,
      ),
    ]);
    expect(log).toEqual([]);
  });

  it('is rolled back in the runtime when the cgroup cannot be written', async () => {
    const { b, cgroups, sandboxUpdates } = cgroupBench(values(512, 50_000, 64));
    await b.settle(pod(both('500m', '64Mi')));
    cgroups.failNext = 'EBUSY: device is busy';
    const larger = pod(both('500m', '128Mi'));
    expect((await b.sync(larger)).results).toEqual([
      failed(`failed to set cgroup config for memory of pod ${target}: EBUSY: device is busy`),
    ]);
    expect(cgroups.values).toEqual(values(512, 50_000, 64));
    expect(sandboxUpdates.at(-1)).toEqual([512, 50_000, 64]);
    expect(await b.held(larger)).toMatchObject({ memoryMi: 64 });
    expect(await b.sync(larger)).toEqual({ results: [resized] });
    expect(cgroups.values).toEqual(values(512, 50_000, 128));
  });

  it('changes if the runtime does not implement the call, but not if it rejects the call', async () => {
    const { b, cgroups } = cgroupBench(values(512, 50_000, 64));
    await b.settle(pod(both('500m', '64Mi')));
    const larger = pod(both('1', '64Mi'));
    b.fake.failNext('updatePodSandboxResources', new ServiceError(StatusCode.Internal, 'no memory left'));
    expect((await b.sync(larger)).results).toEqual([failed('rpc error: code = Internal desc = no memory left')]);
    expect(cgroups.values).toEqual(values(512, 50_000, 64));
    b.fake.failNext('updatePodSandboxResources', new ServiceError(StatusCode.Unimplemented, 'unknown method'));
    expect(await b.sync(larger)).toEqual({ results: [resized] });
    expect(cgroups.values).toEqual(values(1024, 100_000, 64));
  });

  it('is raised for a container that restarts with more resources', async () => {
    const { b, cgroups, log } = cgroupBench(values(512, 50_000, 64));
    const resizePolicy = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];
    await b.settle(pod(both('500m', '64Mi'), { resizePolicy }));
    await b.during(b.sync(pod(both('500m', '128Mi'), { resizePolicy })));
    expect(log).toEqual(['pod memoryLimitBytes']);
    expect(cgroups.values).toEqual(values(512, 50_000, 128));
  });

  it('follows pod-level resources, like containers without own limits', async () => {
    const { b, cgroups } = cgroupBench(values(512, 50_000, 64));
    const whole = (resources: ResourceRequirements): Pod => testPod({ containers: [{}], spec: { resources } });
    await b.settle(whole(both('500m', '64Mi')));
    const larger = whole(both('1', '128Mi'));
    expect(await b.manager.isResizeInProgress(larger, await b.status(larger))).toBe(true);
    expect(await b.sync(larger)).toEqual({ results: [resized] });
    expect(cgroups.values).toEqual(values(1024, 100_000, 128));
    expect(await b.held(larger)).toMatchObject({ cpu: 1000, memoryMi: 128, restarts: 0 });
    expect(await b.sync(larger)).toEqual({ results: [] });
    expect(await b.manager.isResizeInProgress(larger, await b.status(larger))).toBe(false);
  });
});
