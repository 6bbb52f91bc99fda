import { contributionsTo } from '@rxlet/agent-api/testing';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { gunzipSync } from 'node:zlib';
import { create } from '@bufbuild/protobuf';
import type { AgentCore, ModuleContext, ServiceKey } from '@rxlet/agent-api';
import { EndpointError, httpEndpoints } from '@rxlet/agent-api/http';
import { podCgroups } from '@rxlet/agent-api/node';
import { podVolumes, podVolumeUsage, type VolumeUsage } from '@rxlet/agent-api/volumes';
import { createVirtualClock, recordingLogger, recordingMetrics } from '@rxlet/component-base/testing';
import {
  ImageFsInfoResponseSchema,
  ListContainersResponseSchema,
  ListContainerStatsResponseSchema,
  ListPodSandboxResponseSchema,
} from '@rxlet/cri-api';
import type { ContainerStatus, Pod } from '@rxlet/kube-api';
import { createTestMachine } from '@rxlet/machine/testing';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { stats, type StatsOptions } from './stats-module.ts';
import type { Summary } from './summary/summary-types.ts';
import { cgroupTwo, inDirectory, MACHINE, memoryKernelFiles, netDev, VERSION_TWO } from './test-support.ts';

const NANOSECONDS = 1_000_000n;
const START_MS = Date.UTC(2026, 0, 1);
const labels = {
  'io.kubernetes.pod.name': 'web',
  'io.kubernetes.pod.namespace': 'shop',
  'io.kubernetes.pod.uid': 'u1',
  'io.kubernetes.container.name': 'app',
};
const pod: Pod = {
  metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
  status: { containerStatuses: [{ name: 'app', state: { running: {} } } as ContainerStatus] },
  spec: {
    containers: [{ name: 'app', image: 'example.com/app:1' }],
    volumes: [
      { name: 'scratch', emptyDir: {} },
      { name: 'data', persistentVolumeClaim: { claimName: 'big' } },
      { name: 'host', hostPath: { path: '/' } },
    ],
  },
};
const POD_CGROUP = '/sys/fs/cgroup/kubepods/burstable/podu1';

interface BenchOptions {
  readonly usage?: (signal?: AbortSignal) => Promise<ReadonlyMap<string, VolumeUsage>>;
  readonly systemCgroups?: StatsOptions['systemCgroups'];
}

function createBench({
  usage = async () => new Map([['scratch', { usedBytes: 40, inodes: 4 }]]),
  systemCgroups,
}: BenchOptions = {}) {
  const clock = createVirtualClock({ startMs: START_MS });
  const logger = recordingLogger();
  const metrics = recordingMetrics();
  const kernelFiles = memoryKernelFiles({
    ...VERSION_TWO,
    ...MACHINE,
    '/proc/self/mountinfo': '29 1 8:1 / / rw - ext4 /dev/sda1 rw\n',
    '/proc/diskstats': '   8       1 sda1 10 0 80 500 4 1 32 250 0 700 750\n',
    ...inDirectory('/sys/fs/cgroup', { 'cpu.stat': 'usage_usec 5000000\n', 'memory.stat': 'anon 300\nfile 500\n' }),
    ...inDirectory('/sys/fs/cgroup/kubepods', cgroupTwo(3000, 900)),
    ...inDirectory('/sys/fs/cgroup/kubepods/burstable', cgroupTwo(3000, 900)),
    ...inDirectory(POD_CGROUP, cgroupTwo(3000, 900, { 'memory.max': '8192\n' })),
    ...inDirectory(
      `${POD_CGROUP}/c1`,
      cgroupTwo(2000, 800, {
        'cgroup.procs': '41\n42\n',
        'cpu.max': '5000 10000\n',
        'memory.swap.max': '100\n',
        'io.stat': '8:1 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=0 dios=0\n',
      }),
    ),
    ...inDirectory(`${POD_CGROUP}/s1`, cgroupTwo(1000, 100, { 'cgroup.procs': '40\n' })),
    ...inDirectory(`${POD_CGROUP}/gone`, cgroupTwo(1, 1)),
    '/proc/40/net/dev': netDev('eth0', 500),
    '/proc/41/fd/0': '/dev/null',
    '/proc/41/fd/1': 'socket:[17]',
    '/proc/41/limits':
      'Limit  Soft  Hard  Units\nMax open files            1024                 4096                 files\n',
  });
  const memory = createMemoryFiles();
  const createdAt = BigInt(START_MS - 60_000) * NANOSECONDS;
  const layer = {
    timestamp: BigInt(START_MS) * NANOSECONDS,
    fsId: { mountpoint: '/images' },
    usedBytes: { value: 70n },
  };
  let isDown = false;
  const answering =
    <T>(answer: T) =>
    async (): Promise<T> => {
      if (isDown) throw new Error('connection refused');
      return answer;
    };
  const runtime = {
    listContainers: answering(
      create(ListContainersResponseSchema, {
        containers: [
          {
            id: 'c1',
            podSandboxId: 's1',
            metadata: { name: 'app' },
            image: { image: 'sha256:1' },
            state: 1,
            createdAt,
            labels,
          },
        ],
      }),
    ),
    listPodSandbox: answering(
      create(ListPodSandboxResponseSchema, {
        items: [{ id: 's1', metadata: { name: 'web', namespace: 'shop', uid: 'u1' }, state: 0, createdAt, labels }],
      }),
    ),
    listContainerStats: answering(
      create(ListContainerStatsResponseSchema, {
        stats: [{ attributes: { id: 'c1', metadata: { name: 'app' } }, writableLayer: layer }],
      }),
    ),
  };
  const images = {
    imageFsInfo: answering(create(ImageFsInfoResponseSchema, { imageFilesystems: [layer] })),
  };
  const fileSystem = { capacityBytes: 1000, availableBytes: 600, usedBytes: 400, inodes: 90, inodesFree: 60 };
  const mounted = new Map(['scratch', 'data', 'host'].map((name) => [name, { hostPath: `/mnt/${name}` }]));
  const services = new Map<ServiceKey<unknown>, unknown>([
    [podCgroups, { podsPath: () => '/kubepods' }],
    [podVolumes, { mountedVolumes: () => mounted }],
    [podVolumeUsage, { usage: (_uid: string, signal?: AbortSignal) => usage(signal) }],
  ]);
  const module = stats({
    kernelFiles,
    systemCgroups,
    machine: createTestMachine(),
    fileSystems: {
      root: async () => ({ timeMs: clock.now(), ...fileSystem }),
      at: async (path) =>
        path === '/images' || path.startsWith('/mnt/') ? { timeMs: clock.now(), ...fileSystem } : undefined,
      isOnRoot: async (path) => path !== '/images',
    },
    metrics: async () => ({
      text: '# HELP a x\n# TYPE a gauge\na 1\n# HELP prober_b y\n# TYPE prober_b gauge\nprober_b 2\n',
    }),
  });
  const parts = module.setup({
    clock,
    logger,
    metrics,
    runtime,
    images,
    files: memory.nodeFiles,
    hostFiles: memory.hostFiles,
    node: { name: 'n1', rootDirectory: '/root', podLogsDirectory: '/logs', ips: [] },
    core: { activePods: () => [pod], pods: { list: () => [pod] } } as unknown as AgentCore,
    services: { get: () => undefined, find: (key: ServiceKey<unknown>) => services.get(key) },
  } as unknown as ModuleContext)!;
  const requestPath = async (path: string, query = ''): Promise<string> => {
    const endpoint = contributionsTo(parts, httpEndpoints).find((each) => each.path === path)!;
    const { signal } = new AbortController();
    const parameters = new URLSearchParams(query);
    const answer = await endpoint.handle({ method: 'GET', segments: [], parameters, headers: {}, signal });
    return answer.body as string;
  };
  return {
    clock,
    logger,
    metrics,
    kernelFiles,
    memory,
    endpoints: contributionsTo(parts, httpEndpoints),
    requestPath,
    dispose: async () => parts[Symbol.asyncDispose]?.(),
    failRuntime: () => (isDown = true),
  };
}

describe('/stats/summary', () => {
  it('joins the statistics of the runtime with those of the cgroups, the logs and the volumes', async () => {
    const { requestPath, memory, kernelFiles, clock } = createBench();
    await memory.nodeFiles.makeDirectory('/logs/shop_web_u1/app', 0o755);
    await memory.nodeFiles.writeFile('/logs/shop_web_u1/app/0.log', 'hello', 0o640);
    await requestPath('stats/summary');
    kernelFiles.texts.set(`${POD_CGROUP}/c1/cpu.stat`, 'usage_usec 1002000\n');
    await clock.advance(10_000);
    const { node, pods } = JSON.parse(await requestPath('stats/summary')) as Summary;
    expect(node).toMatchObject({
      nodeName: 'n1',
      startTime: '2023-11-14T22:13:20Z',
      cpu: { time: '2026-01-01T00:00:10Z', usageCoreNanoSeconds: 5e9, usageNanoCores: 0 },
      memory: { usageBytes: 800, availableBytes: 1000 * 1024 - 800 },
      swap: { swapUsageBytes: 60 * 1024, swapAvailableBytes: 40 * 1024 },
      network: { name: 'eth0', rxBytes: 100, interfaces: [{ name: 'eth0' }] },
      fs: { capacityBytes: 1000, usedBytes: 400, inodesUsed: 30 },
      runtime: { imageFs: { usedBytes: 70, capacityBytes: 1000 } },
      rlimit: { maxpid: 9000, curproc: 345 },
      systemContainers: [{ name: 'pods', startTime: '1970-01-01T00:00:01Z', memory: { usageBytes: 900 } }],
    });
    expect(pods).toHaveLength(1);
    const { containers, ...web } = pods[0]!;
    expect(web).toMatchObject({
      podRef: { name: 'web', namespace: 'shop', uid: 'u1' },
      startTime: '2025-12-31T23:59:00Z',
      memory: { usageBytes: 900, availableBytes: 8192 - 700 },
      network: { name: 'eth0', rxBytes: 500, txBytes: 508 },
      process_stats: { process_count: 2 },
      volume: [
        { name: 'scratch', usedBytes: 40, inodesUsed: 4, capacityBytes: 1000 },
        { name: 'data', usedBytes: 400, inodesUsed: 30, pvcRef: { name: 'big', namespace: 'shop' } },
      ],
    });
    const log = containers![0]!.logs!.usedBytes!;
    expect(log).toBeGreaterThan(0);
    expect(web['ephemeral-storage']?.usedBytes).toBe(70 + log + 40);
    expect(containers).toMatchObject([
      { name: 'app', cpu: { usageNanoCores: 1e8, usageCoreNanoSeconds: 1_002_000_000 }, rootfs: { usedBytes: 70 } },
    ]);
    expect(containers![0]!.memory).not.toHaveProperty('availableBytes');
  });

  it('has no negative amounts for a cgroup that uses more than its limits, which were lowered', async () => {
    const { requestPath, kernelFiles } = createBench();
    kernelFiles.texts.set(`${POD_CGROUP}/c1/memory.max`, '500\n');
    kernelFiles.texts.set(`${POD_CGROUP}/c1/memory.swap.max`, '0\n');
    const { pods } = JSON.parse(await requestPath('stats/summary')) as Summary;
    expect(pods[0]!.containers![0]).toMatchObject({
      memory: { workingSetBytes: 600, availableBytes: 0 },
      swap: { swapUsageBytes: 8, swapAvailableBytes: 0 },
    });
  });

  it('leaves out the logs of a container that cannot be measured, and has everything else', async () => {
    const { requestPath, memory, logger } = createBench();
    await memory.nodeFiles.makeDirectory('/logs/shop_web_u1', 0o755);
    await memory.nodeFiles.makeDirectory('/elsewhere', 0o755);
    await memory.nodeFiles.symlink('/elsewhere', '/logs/shop_web_u1/app');
    const { node, pods } = JSON.parse(await requestPath('stats/summary')) as Summary;
    expect(node.memory).toBeDefined();
    expect(pods[0]!.containers![0]).toMatchObject({ name: 'app', rootfs: { usedBytes: 70 } });
    expect(pods[0]!.containers![0]).not.toHaveProperty('logs');
    expect(logger.lines.map(({ message }) => message)).toEqual(['cannot measure files of a pod']);
  });

  it('has pressure of zero where the kernel measures none', async () => {
    const { requestPath } = createBench();
    const { node, pods } = JSON.parse(await requestPath('stats/summary')) as Summary;
    const none = { total: 0, avg10: 0, avg60: 0, avg300: 0 };
    for (const { cpu, memory, io } of [node, node.systemContainers![0]!, pods[0]!, pods[0]!.containers![0]!]) {
      expect([cpu, memory, io]).toMatchObject(Array.from({ length: 3 }, () => ({ psi: { full: none, some: none } })));
    }
  });

  it('measures the cgroups of the system', async () => {
    const { requestPath, kernelFiles } = createBench({
      systemCgroups: { runtime: 'system.slice/containerd.service', misc: '/system' },
    });
    const put = (path: string, cpuUsec: number): void => {
      for (const [file, text] of Object.entries(inDirectory(`/sys/fs/cgroup${path}`, cgroupTwo(cpuUsec, 700))))
        kernelFiles.texts.set(file, text);
    };
    kernelFiles.texts.set('/proc/self/cgroup', '0::/system.slice/rxlet.service\n');
    put('/system.slice/rxlet.service', 10);
    put('/system.slice/containerd.service', 20);
    put('/system.slice/containerd.service/shim', 30);
    const { node } = JSON.parse(await requestPath('stats/summary')) as Summary;
    expect(node.systemContainers!.map(({ name, cpu }) => [name, cpu!.usageCoreNanoSeconds])).toEqual([
      ['kubelet', 10_000],
      ['runtime', 20_000],
      ['pods', 3_000_000],
    ]);
    const text = await requestPath('metrics/cadvisor');
    expect(
      [...text.matchAll(/^container_cpu_usage_seconds_total{.*id="(\/system[^"]*)"/gm)].map(([, id]) => id),
    ).toEqual([
      '/system.slice/rxlet.service',
      '/system.slice/containerd.service',
      '/system.slice/containerd.service/shim',
    ]);
  });

  it('has CPU, memory and swap only when asked so', async () => {
    const { requestPath } = createBench();
    const { node, pods } = JSON.parse(await requestPath('stats/summary', 'only_cpu_and_memory=true')) as Summary;
    expect(Object.keys(node).sort()).toEqual(['cpu', 'memory', 'nodeName', 'startTime', 'swap', 'systemContainers']);
    expect(Object.keys(pods[0]!).sort()).toEqual(['containers', 'cpu', 'memory', 'podRef', 'startTime', 'swap']);
    expect(Object.keys(pods[0]!.containers![0]!).sort()).toEqual(['cpu', 'memory', 'name', 'startTime', 'swap']);
  });

  it('reads nothing at rest', async () => {
    const { requestPath, clock, kernelFiles, dispose } = createBench();
    expect(kernelFiles.reads()).toBe(0);
    await requestPath('stats/summary');
    const reads = kernelFiles.reads();
    await clock.advance(3_600_000);
    expect(kernelFiles.reads()).toBe(reads);
    await dispose();
    expect(clock.pendingTimers).toBe(0);
  });

  it('takes the size of a volume from its driver', async () => {
    const limits = { capacityBytes: 5000, availableBytes: 3000, inodes: 50, inodesFree: 20 };
    const { requestPath } = createBench({
      usage: async () => new Map([['data', { usedBytes: 2000, inodes: 30, limits }]]),
    });
    const { pods } = JSON.parse(await requestPath('stats/summary')) as Summary;
    expect(pods[0]!.volume).toEqual([
      {
        name: 'data',
        pvcRef: { name: 'big', namespace: 'shop' },
        time: '2026-01-01T00:00:00Z',
        usedBytes: 2000,
        inodesUsed: 30,
        ...limits,
      },
    ]);
  });

  it('waits two seconds for volumes that do not answer, and reports the others', async () => {
    const { requestPath, clock, dispose } = createBench({ usage: () => new Promise(() => undefined) });
    const answer = requestPath('stats/summary');
    await clock.advance(1999);
    let text: string | undefined;
    void answer.then((body) => (text = body));
    await clock.settle();
    expect(text).toBeUndefined();
    await clock.advance(1);
    const { pods } = JSON.parse(await answer) as Summary;
    expect(pods[0]).not.toHaveProperty('volume');
    await dispose();
  });

  it('names the step that failed', async () => {
    const { requestPath, failRuntime } = createBench();
    failRuntime();
    const failure = await requestPath('stats/summary').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EndpointError);
    expect(failure).toMatchObject({
      status: 500,
      message: 'Internal Error: failed to get imageFs stats: connection refused',
    });
    expect(await requestPath('metrics/resource')).toMatch(/^resource_scrape_error 1$/m);
    expect(await requestPath('metrics/cadvisor')).toMatch(/^container_scrape_error 1$/m);
  });
});

it('/stats/summary is there for clients that name JSON', () => {
  const { endpoints } = createBench();
  expect(endpoints.find(({ path }) => path === 'stats/summary')?.produces).toBe('application/json');
});

describe('/metrics/cadvisor', () => {
  it('has every cgroup of pods, with the names of pod, container and image', async () => {
    const { requestPath } = createBench();
    const text = await requestPath('metrics/cadvisor');
    const time = String(START_MS);
    const id = '/kubepods/burstable/podu1';
    const app = `container="app",id="${id}/c1",image="example.com/app:1",name="c1",namespace="shop",pod="web"`;
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        `container_cpu_usage_seconds_total{${app},cpu="total"} 0.002 ${time}`,
        `container_cpu_cfs_throttled_periods_total{${app}} 2 ${time}`,
        `container_spec_cpu_quota{${app}} 5000`,
        `container_sockets{${app}} 1 ${time}`,
        `container_ulimits_soft{${app},ulimit="max_open_files"} 1024 ${time}`,
        `container_memory_working_set_bytes{container="",id="${id}",image="",name="",namespace="shop",pod="web"} 700 ${time}`,
        `container_network_receive_bytes_total{container="",id="${id}/s1",image="",name="s1",namespace="shop",pod="web",interface="eth0"} 500 ${time}`,
        `container_fs_reads_total{${app},device="/dev/sda1"} 1 ${time}`,
        `container_fs_writes_bytes_total{${app},device="/dev/sda1"} 8192 ${time}`,
        `container_blkio_device_usage_total{${app},device="/dev/sda1",major="8",minor="1",operation="Read"} 4096 ${time}`,
        'container_scrape_error 0',
      ]),
    );
    expect(text).not.toContain('/gone');
    expect(text).not.toContain('container_pressure_');
  });

  it('has a file system whose path has blanks', async () => {
    const directory = mkdtempSync(`${tmpdir()}/stats disk-`);
    const { requestPath, kernelFiles } = createBench();
    const target = directory.replace(' ', String.raw`\040`);
    kernelFiles.texts.set('/proc/self/mountinfo', `30 29 8:17 / ${target} rw - ext4 /dev/sdb1 rw\n`);
    const text = await requestPath('metrics/cadvisor');
    rmdirSync(directory);
    expect(text).toMatch(/^container_fs_limit_bytes{.*device="\/dev\/sdb1"} \d+/m);
  });

  it('has the probes of the agent at /metrics/probes', async () => {
    const { requestPath } = createBench();
    expect(await requestPath('metrics/probes')).toBe('# HELP prober_b y\n# TYPE prober_b gauge\nprober_b 2\n');
  });
});

describe('the metrics of the agent', () => {
  it('include the logs of running containers and the volumes of claims, measured at the collection', async () => {
    const { metrics, memory } = createBench();
    await memory.nodeFiles.makeDirectory('/logs/shop_web_u1/app', 0o755);
    await memory.nodeFiles.writeFile('/logs/shop_web_u1/app/0.log', 'hello', 0o640);
    await metrics.collect();
    const claim = '{namespace="shop",persistentvolumeclaim="big"}';
    expect(Object.fromEntries(metrics.values)).toEqual({
      'kubelet_metrics_provider{provider="cadvisor"}': 1,
      'kubelet_container_log_filesystem_used_bytes{container="app",namespace="shop",pod="web",uid="u1"}': 4096,
      [`kubelet_volume_stats_capacity_bytes${claim}`]: 1000,
      [`kubelet_volume_stats_available_bytes${claim}`]: 600,
      [`kubelet_volume_stats_used_bytes${claim}`]: 400,
      [`kubelet_volume_stats_inodes${claim}`]: 90,
      [`kubelet_volume_stats_inodes_free${claim}`]: 60,
      [`kubelet_volume_stats_inodes_used${claim}`]: 30,
    });
    const seconds = 'kubelet_volume_metric_collection_duration_seconds{metric_source="statfs"}';
    expect(metrics.observed(seconds)).toHaveLength(1);
  });

  it('measure once for all metrics of a collection', async () => {
    let measurements = 0;
    const usage = async () => {
      measurements += 1;
      return new Map<string, VolumeUsage>();
    };
    const { metrics, clock } = createBench({ usage });
    await metrics.collect();
    expect(measurements).toBe(1);
    await clock.advance(60_000);
    await metrics.collect();
    expect(measurements).toBe(2);
  });
});

describe('the metrics of a kubelet', () => {
  it.each(['metrics/cadvisor', 'metrics/resource'])('match in type, text and labels in /%s', async (path) => {
    const { requestPath } = createBench();
    const own = describeMetrics(await requestPath(path));
    const shared = kubeletMetrics(`/${path}`).filter(({ name }) => own.has(name));
    expect(Object.fromEntries(shared.map(({ name }) => [name, own.get(name)]))).toEqual(
      Object.fromEntries(shared.map(({ name, ...rest }) => [name, rest])),
    );
  });

  it.each([
    [
      'metrics/cadvisor',
      [
        'container_cpu_load_average_10s',
        'container_cpu_load_d_average_10s',
        'container_health_state',
        'container_tasks_state',
        'machine_cpu_books',
        'machine_cpu_drawers',
        'machine_nvm_avg_power_budget_watts',
        'machine_nvm_capacity',
      ],
    ],
    // Hidden since 1.29. The recorded kubelet has no version, so that it shows hidden metrics too.
    ['metrics/resource', ['scrape_error']],
  ])('miss in /%s only where they measure nothing or are hidden', async (path, absent) => {
    const own = describeMetrics(await createBench().requestPath(path));
    const recorded = kubeletMetrics(`/${path}`).map(({ name }) => name);
    expect(recorded.filter((name) => !own.has(name))).toEqual(absent);
  });

  it.each([
    // The recorded kernel counts no block I/O of cgroups.
    ['metrics/cadvisor', BLOCK_DEVICE_METRICS],
    ['metrics/resource', []],
  ])('cover all of /%s, apart from what the recorded kernel does not measure', async (path, further) => {
    const own = describeMetrics(await createBench().requestPath(path));
    const recorded = new Set(kubeletMetrics(`/${path}`).map(({ name }) => name));
    expect([...own.keys()].filter((name) => !recorded.has(name))).toEqual(further);
  });
});

const BLOCK_DEVICE_METRICS = [
  'container_blkio_device_usage_total',
  'container_fs_reads_bytes_total',
  'container_fs_writes_bytes_total',
];

interface MetricDescription {
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** Returns the recorded metrics of a kubelet, with all label names that its series have. */
function kubeletMetrics(endpoint: string): (MetricDescription & { readonly name: string })[] {
  const lines = gunzipSync(readFileSync(new URL('../fixtures/kubelet-metrics.tsv.gz', import.meta.url)))
    .toString()
    .split('\n');
  return lines.flatMap((line) => {
    const [path, name = '', type = '', labels = '', _count, help = ''] = line.split('\t');
    return path === endpoint ? [{ name, type, help, labels: labels.split(',').filter(Boolean) }] : [];
  });
}

/** Returns the metrics of a text by their names. */
function describeMetrics(text: string): ReadonlyMap<string, MetricDescription> {
  const found = new Map<string, { type: string; help: string; labels: string[] }>();
  let current = { type: '', help: '', labels: [] as string[] };
  for (const line of text.split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') found.set(name, (current = { type: '', help: rest, labels: [] }));
    else if (kind === 'TYPE') current.type = rest;
    else
      current.labels = [
        ...new Set([...current.labels, ...[...line.matchAll(/[{,](\w+)="/g)].map(([, label]) => label!)]),
      ].sort();
  }
  return found;
}

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

describe.skipIf(!hasPromtool)('promtool', () => {
  it.each(['metrics/cadvisor', 'metrics/resource', 'metrics/probes'])('parses /%s', async (path) => {
    const input = await createBench().requestPath(path);
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
    // 3: readable, with names that do not follow its advice; they are cAdvisor's.
    expect([0, 3], stderr).toContain(status);
    expect(stderr).not.toContain('error while linting');
  });
});
