import { StatusCode } from '@rxlet/cri-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bench, codeOf, collect, createBench } from '../test-support.ts';
import { defaultUsage } from './default-usage.ts';
import { cpuNanoseconds, usageAt } from './usage-model.ts';

async function startedIn(bench: Bench, podSandboxId: string, name: string, ...command: string[]): Promise<string> {
  const containerId = await bench.create(podSandboxId, {
    metadata: { name, attempt: 0 },
    labels: { name },
    command,
  });
  await bench.fake.runtime.startContainer({ containerId });
  return containerId;
}

const MI = 1024n * 1024n;

describe('a usage model', () => {
  it('adds up CPU time phase by phase', () => {
    const model = [
      { afterMs: 0, cpuMillis: 500, memoryBytes: 1n },
      { afterMs: 1000, cpuMillis: 0, memoryBytes: 2n },
      { afterMs: 3000, cpuMillis: 2000, memoryBytes: 3n },
    ];
    expect(cpuNanoseconds(model, 500)).toBe(250_000_000n);
    expect(cpuNanoseconds(model, 3000)).toBe(500_000_000n);
    expect(cpuNanoseconds(model, 4000)).toBe(2_500_000_000n);
    expect(usageAt(model, 2999)).toMatchObject({ cpuMillis: 0, memoryBytes: 2n });
  });

  it('never decreases CPU time', () => {
    const phase = fc.record({ forMs: fc.nat(10_000), cpuMillis: fc.nat(4000) });
    fc.assert(
      fc.property(fc.array(phase), fc.nat(100_000), fc.nat(100_000), (phases, elapsedMs, moreMs) => {
        let afterMs = 0;
        const model = phases.map(({ forMs, cpuMillis }) => {
          const begin = afterMs;
          afterMs += forMs;
          return { afterMs: begin, cpuMillis, memoryBytes: 0n };
        });
        expect(cpuNanoseconds(model, elapsedMs + moreMs)).toBeGreaterThanOrEqual(cpuNanoseconds(model, elapsedMs));
      }),
    );
  });

  it('stays within the container’s limits by default', () => {
    const resources = { cpuQuota: 5000n, cpuPeriod: 100_000n, cpuShares: 1024n, memoryLimitInBytes: 4_194_304n };
    const [, last] = defaultUsage('ff'.repeat(32), resources as unknown as Parameters<typeof defaultUsage>[1]);
    expect(last).toMatchObject({ cpuMillis: 50, memoryBytes: 2_097_152n });
  });
});

describe('statistics', () => {
  it('grow with time, and are the same in every call and in the pod as their sum', async () => {
    await using bench = await disposable();
    const { runtime } = bench.fake;
    const podSandboxId = await bench.runSandbox();
    const first = await startedIn(bench, podSandboxId, 'first', 'nginx');
    await startedIn(bench, podSandboxId, 'second', 'nginx');
    let previousCpu = -1n;
    let previousBytes = -1n;
    for (let round = 0; round < 5; round += 1) {
      const { stats: listed } = await runtime.listContainerStats({ filter: { podSandboxId } });
      const one = (await runtime.containerStats({ containerId: first })).stats!;
      const pod = (await runtime.podSandboxStats({ podSandboxId })).stats!.linux!;
      const cpu = one.cpu!.usageCoreNanoSeconds!.value;
      expect(cpu).toBeGreaterThan(previousCpu);
      expect(pod.network!.defaultInterface!.rxBytes!.value).toBeGreaterThan(previousBytes);
      expect(listed[0]!.cpu!.usageCoreNanoSeconds!.value).toBe(cpu);
      expect(listed[0]!.memory!.workingSetBytes!.value).toBe(one.memory!.workingSetBytes!.value);
      expect(pod.cpu!.usageCoreNanoSeconds!.value).toBe(
        listed.reduce((sum, { cpu: each }) => sum + each!.usageCoreNanoSeconds!.value, 0n),
      );
      expect(one.memory!.usageBytes!.value).toBeGreaterThanOrEqual(one.memory!.workingSetBytes!.value);
      expect(pod.process!.processCount!.value).toBe(3n);
      previousCpu = cpu;
      previousBytes = pod.network!.defaultInterface!.rxBytes!.value;
      await bench.clock.advance(5000);
    }
  });

  it("omit CPU and memory of exited containers and omit removed containers, but keep the pod's CPU time", async () => {
    await using bench = await disposable();
    const { runtime } = bench.fake;
    const podSandboxId = await bench.runSandbox();
    const containerId = await startedIn(bench, podSandboxId, 'short', 'sleep', '60');
    await bench.clock.advance(59_000);
    const podCpu = async (): Promise<bigint> =>
      (await runtime.podSandboxStats({ podSandboxId })).stats!.linux!.cpu!.usageCoreNanoSeconds!.value;
    const before = await podCpu();
    await bench.clock.advance(10_000);
    const { stats } = await runtime.containerStats({ containerId });
    expect(stats!.attributes!.id).toBe(containerId);
    expect([stats!.cpu, stats!.memory]).toEqual([undefined, undefined]);
    expect(stats!.writableLayer!.usedBytes!.value).toBeGreaterThan(0n);
    const after = await podCpu();
    expect(after).toBeGreaterThan(before);
    await runtime.removeContainer({ containerId });
    expect(await podCpu()).toBe(after);
    expect(await codeOf(runtime.containerStats({ containerId }))).toBe(StatusCode.NotFound);
    expect((await runtime.listContainerStats({})).stats).toEqual([]);

    await runtime.stopPodSandbox({ podSandboxId });
    expect(await codeOf(runtime.podSandboxStats({ podSandboxId }))).toBe(StatusCode.Unavailable);
    expect((await runtime.listPodSandboxStats({})).stats).toEqual([]);
  });

  it('can be filtered, and come in several messages when there are many', async () => {
    await using bench = await disposable();
    const { runtime } = bench.fake;
    const podSandboxId = await bench.runSandbox();
    for (let index = 0; index < 120; index += 1) await bench.runSandbox();
    for (let index = 0; index < 101; index += 1) await startedIn(bench, podSandboxId, `c${String(index)}`, 'nginx');

    const { stats } = await runtime.listContainerStats({ filter: { labelSelector: { name: 'c7' } } });
    expect(stats.map(({ attributes }) => attributes?.metadata?.name)).toEqual(['c7']);
    expect((await runtime.listPodSandboxStats({ filter: { id: podSandboxId } })).stats).toHaveLength(1);
    const containers = await collect(runtime.streamContainerStats({}));
    expect(containers.map(({ containerStats }) => containerStats.length)).toEqual([100, 1]);
    const pods = await collect(runtime.streamPodSandboxStats({}));
    expect(pods.map(({ podSandboxStats }) => podSandboxStats.length)).toEqual([100, 21]);
    const metrics = await collect(runtime.streamPodSandboxMetrics({}));
    expect(metrics.map(({ podSandboxMetrics }) => podSandboxMetrics.length)).toEqual([100, 21]);
  });

  it('equal the metrics, each with a descriptor', async () => {
    await using bench = await disposable();
    const { runtime } = bench.fake;
    const containerId = await bench.start('nginx');
    await bench.clock.advance(60_000);
    const { descriptors } = await runtime.listMetricDescriptors({});
    const [pod] = (await runtime.listPodSandboxMetrics({})).podMetrics;
    const [container] = pod!.containerMetrics;
    for (const metric of [...pod!.metrics, ...container!.metrics]) {
      const descriptor = descriptors.find(({ name }) => name === metric.name);
      expect(descriptor?.labelKeys).toHaveLength(metric.labelValues.length);
    }
    const { stats } = await runtime.containerStats({ containerId });
    const memory = container!.metrics.find(({ name }) => name === 'container_memory_working_set_bytes');
    expect(memory?.value?.value).toBe(stats!.memory!.workingSetBytes!.value);
  });

  it('include metrics of the limits and the network of a container', async () => {
    await using bench = await disposable();
    const { runtime } = bench.fake;
    const resources = { cpuPeriod: 100_000n, cpuQuota: 20_000n, cpuShares: 512n, memoryLimitInBytes: 64n * MI };
    const podSandboxId = await bench.runSandbox();
    const containerId = await bench.create(podSandboxId, { command: ['sleep', '1000'], linux: { resources } });
    await runtime.startContainer({ containerId });
    await bench.clock.advance(60_050);
    const [pod] = (await runtime.listPodSandboxMetrics({})).podMetrics;
    const all = [...pod!.metrics, ...pod!.containerMetrics[0]!.metrics];
    const values = Object.fromEntries(all.map(({ name, value }) => [name, value?.value]));
    expect(values).toMatchObject({
      container_cpu_cfs_periods_total: 600n,
      container_cpu_cfs_throttled_periods_total: 0n,
      container_spec_cpu_quota: 20_000n,
      container_spec_cpu_shares: 512n,
      container_spec_memory_limit_bytes: 64n * MI,
      container_processes: 1n,
      container_start_time_seconds: 1_767_225_600n,
      container_last_seen: 1_767_225_660n,
    });
    expect(values['container_network_receive_packets_total']).toBeGreaterThan(0n);
    const described = new Set((await runtime.listMetricDescriptors({})).descriptors.map(({ name }) => name));
    expect([...described].filter((name) => values[name] === undefined)).toEqual([]);
  });

  it('add up the writable layers for the file systems', async () => {
    await using bench = await disposable();
    const { runtime, images } = bench.fake;
    await bench.start('nginx');
    await bench.start('nginx');
    const { containerFilesystems, imageFilesystems } = await images.imageFsInfo({});
    const { stats } = await runtime.listContainerStats({});
    const sum = stats.reduce((total, { writableLayer }) => total + writableLayer!.usedBytes!.value, 0n);
    expect(containerFilesystems[0]!.usedBytes!.value).toBe(sum);
    expect(imageFilesystems[0]!.usedBytes!.value).toBeGreaterThan(0n);
  });
});

async function disposable(): Promise<Bench & AsyncDisposable> {
  const bench = await createBench();
  return { ...bench, [Symbol.asyncDispose]: () => bench.fake[Symbol.asyncDispose]() };
}
