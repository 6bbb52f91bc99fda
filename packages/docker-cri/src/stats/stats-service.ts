import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { createLruMap, nowNanos } from '@rxlet/component-base';
import {
  type Container,
  type ContainerStats,
  ContainerStatsSchema,
  ContainerState,
  type PodSandbox,
  type PodSandboxStats,
  PodSandboxStatsSchema,
  PodSandboxState,
  type RuntimeServiceDescriptor,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import type { Backend } from '../backend.ts';
import { listContainers } from '../container/container-service.ts';
import { isConflict, isMissing } from '../engine/docker-error.ts';
import type { DockerContainer, DockerStats } from '../engine/docker-types.ts';
import { inBatches } from '../rpc/batches.ts';
import { hasId, hasLabels } from '../rpc/filters.ts';
import type { Handlers } from '../rpc/port.ts';
import { listSandboxes } from '../sandbox/sandbox-service.ts';
import { networkUsage } from './network-usage.ts';
import { cpuAndMemory, nanoCoresBetween, sumOf, type Usage, usageOf } from './stats-of.ts';

const MAX_SAMPLES = 10_000;
/** Docker walks the writable layer to measure it. */
const LAYER_AGE_MS = 60_000;
const MAX_NET_DEV_BYTES = 1024 * 1024;

interface Layer {
  readonly atMs: number;
  readonly bytes: bigint;
  readonly timestamp: bigint;
}

/** Handlers of the RPCs of statistics. */
export function statsHandlers(backend: Backend): Handlers<typeof RuntimeServiceDescriptor> {
  const { engine, containers, clock, hostFiles } = backend;
  const samples = createLruMap<Usage>(MAX_SAMPLES);
  const layers = createLruMap<Layer>(MAX_SAMPLES);

  const usage = async (id: string, signal: AbortSignal): Promise<Usage | undefined> => {
    const query = { stream: false, 'one-shot': true };
    try {
      return usageOf(await engine.json<DockerStats>('GET', `/containers/${id}/stats`, { query, signal }));
    } catch (error) {
      if (isMissing(error) || isConflict(error)) return undefined;
      throw error;
    }
  };
  const rate = (id: string, current: Usage): bigint | undefined => {
    const earlier = samples.get(id);
    samples.set(id, current);
    return earlier && nanoCoresBetween(earlier, current);
  };
  const layer = async (id: string, signal: AbortSignal): Promise<Layer> => {
    const known = layers.get(id);
    const nowMs = clock.monotonicNow();
    if (known !== undefined && nowMs - known.atMs < LAYER_AGE_MS) return known;
    const query = { size: true };
    const { SizeRw = 0 } = await engine.json<DockerContainer>('GET', `/containers/${id}/json`, { query, signal });
    const measured = { atMs: nowMs, bytes: BigInt(SizeRw), timestamp: nowNanos(clock) };
    layers.set(id, measured);
    return measured;
  };
  const statsOf = async (
    { id, metadata, labels, annotations, state }: Container,
    signal: AbortSignal,
  ): Promise<{ readonly stats: ContainerStats; readonly usage: Usage | undefined } | undefined> => {
    try {
      const isRunning = state === ContainerState.CONTAINER_RUNNING;
      const [current, { bytes, timestamp }, { DockerRootDir }] = await Promise.all([
        isRunning ? usage(id, signal) : undefined,
        layer(id, signal),
        backend.facts.get(signal),
      ]);
      const stats = create(ContainerStatsSchema, {
        attributes: { id, metadata, labels, annotations },
        ...(current !== undefined && cpuAndMemory(current, rate(id, current))),
        writableLayer: { timestamp, fsId: { mountpoint: DockerRootDir }, usedBytes: { value: bytes } },
      });
      return { stats, usage: current };
    } catch (error) {
      // Removed since the list.
      if (isMissing(error)) return undefined;
      throw error;
    }
  };
  const containerStats = async (
    filter:
      | { readonly id: string; readonly podSandboxId?: string; readonly labelSelector: Record<string, string> }
      | undefined,
    signal: AbortSignal,
  ): Promise<ContainerStats[]> => {
    const { id = '', podSandboxId = '', labelSelector = {} } = filter ?? {};
    const wanted = (await listContainers(backend, undefined, signal)).filter(
      (container) =>
        hasId(container.id, id) &&
        hasId(container.podSandboxId, podSandboxId) &&
        hasLabels(container.labels, labelSelector),
    );
    const all = await Promise.all(wanted.map((container) => statsOf(container, signal)));
    return all.flatMap((found) => (found === undefined ? [] : [found.stats]));
  };
  const sandboxStats = async (
    sandbox: PodSandbox,
    all: readonly Container[],
    signal: AbortSignal,
  ): Promise<PodSandboxStats | undefined> => {
    const own = all.filter(
      ({ podSandboxId, state }) => podSandboxId === sandbox.id && state === ContainerState.CONTAINER_RUNNING,
    );
    const [infra, inspected, ...found] = await Promise.all([
      usage(sandbox.id, signal),
      containers.find('podsandbox', sandbox.id, signal),
      ...own.map((container) => statsOf(container, signal)),
    ]);
    // Removed since the list.
    if (inspected === undefined) return undefined;
    const parts = found.filter((part) => part !== undefined);
    const usages = [infra, ...parts.map((part) => part.usage)].filter((part) => part !== undefined);
    const total = sumOf(usages);
    const { id, metadata, labels, annotations } = sandbox;
    const linux: NonNullable<MessageInitShape<typeof PodSandboxStatsSchema>['linux']> = {
      ...(total !== undefined && {
        ...cpuAndMemory(total, rate(id, { ...total, limitBytes: 0n })),
        process: { timestamp: total.timestamp, processCount: { value: total.processes } },
      }),
      network: await network(inspected),
      containers: parts.map((part) => part.stats),
    };
    return create(PodSandboxStatsSchema, { attributes: { id, metadata, labels, annotations }, linux });
  };
  const network = async ({ HostConfig, State }: DockerContainer) => {
    if (HostConfig.NetworkMode === 'host' || !State.Running) return undefined;
    const file = await hostFiles.read(`/proc/${String(State.Pid)}/net/dev`, MAX_NET_DEV_BYTES);
    return file && networkUsage(Buffer.from(file.bytes).toString('utf8'), nowNanos(clock));
  };
  const allSandboxStats = async (
    filter: { readonly id: string; readonly labelSelector: Record<string, string> } | undefined,
    signal: AbortSignal,
  ): Promise<PodSandboxStats[]> => {
    const { id = '', labelSelector = {} } = filter ?? {};
    const [sandboxes, all] = await Promise.all([
      listSandboxes(backend, undefined, signal),
      listContainers(backend, undefined, signal),
    ]);
    const wanted = sandboxes.filter(
      (sandbox) =>
        sandbox.state === PodSandboxState.SANDBOX_READY &&
        hasId(sandbox.id, id) &&
        hasLabels(sandbox.labels, labelSelector),
    );
    const found = await Promise.all(wanted.map((sandbox) => sandboxStats(sandbox, all, signal)));
    return found.filter((stats) => stats !== undefined);
  };

  return {
    async containerStats({ containerId }, signal) {
      const { Id } = await containers.inspect('container', containerId, signal);
      const [stats] = await containerStats({ id: Id, labelSelector: {} }, signal);
      return { ...(stats !== undefined && { stats }) };
    },
    listContainerStats: async ({ filter }, signal) => ({ stats: await containerStats(filter, signal) }),
    async *streamContainerStats({ filter }, signal) {
      for (const batch of inBatches(await containerStats(filter, signal))) yield { containerStats: batch };
    },
    async podSandboxStats({ podSandboxId }, signal) {
      const { Id } = await containers.inspect('podsandbox', podSandboxId, signal);
      const [stats] = await allSandboxStats({ id: Id, labelSelector: {} }, signal);
      if (stats !== undefined) return { stats };
      throw new ServiceError(StatusCode.Unavailable, `sandbox "${Id}" has no statistics: it is not ready`);
    },
    listPodSandboxStats: async ({ filter }, signal) => ({ stats: await allSandboxStats(filter, signal) }),
    async *streamPodSandboxStats({ filter }, signal) {
      for (const batch of inBatches(await allSandboxStats(filter, signal))) yield { podSandboxStats: batch };
    },
  };
}
