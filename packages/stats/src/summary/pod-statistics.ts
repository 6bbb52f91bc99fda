import type { Clock } from '@rxlet/component-base';
import {
  type CallOptions,
  type Container,
  type ContainerStats as CriContainerStats,
  isUnimplemented,
  type PodSandbox,
  type PodSandboxStats,
  type RuntimeService,
} from '@rxlet/cri-api';
import type { PodCgroupStats } from './cgroup-stats.ts';
import { containerCpuAndMemory, containerStats } from './container-stats.ts';
import { currentContainers, currentSandboxes } from './current-pods.ts';
import { ephemeralStorage } from './ephemeral-storage.ts';
import { podLevelStats, toMs } from './from-cri.ts';
import type { DiskUsage, FileSystemUsage } from './fs-stats.ts';
import { podTotals, swapTotal } from './pod-totals.ts';
import type { ContainerStats, PodReference, PodStats, VolumeStats } from './summary-types.ts';
import { createUsageRates } from './usage-rates.ts';

/** Ports of {@link createPodStatistics}. */
export interface PodStatisticsPorts {
  readonly runtime: Pick<
    RuntimeService,
    'listContainers' | 'listPodSandbox' | 'listContainerStats' | 'listPodSandboxStats'
  >;
  readonly clock: Clock;
  readonly fileSystems: Pick<FileSystems, 'root' | 'at'>;
  readonly podFiles: PodFiles;
  readonly volumes: PodVolumeStatistics;
  /** Measures the cgroups of pods and containers, and the networks of these sandboxes. */
  measureCgroups(
    sandboxIds: ReadonlySet<string>,
    signal?: AbortSignal,
    podUids?: ReadonlySet<string>,
  ): Promise<PodCgroupStats>;
}

/** File systems of the node. */
export interface FileSystems {
  /** Returns the file system of the agent's root directory, where pods have their files. */
  root(): Promise<FileSystemUsage>;
  /** Returns the one of a path; `undefined` for a path that this node does not have. */
  at(path: string): Promise<FileSystemUsage | undefined>;
  /** Reports whether a path is on the file system of {@link FileSystems.root}. */
  isOnRoot(path: string): Promise<boolean>;
}

/** Files that belong to pods. A result is `undefined` when the directory or file does not exist. */
export interface PodFiles {
  /** Measures the files directly in a pod's log directory. */
  podLogs(pod: PodReference): Promise<DiskUsage | undefined>;
  containerLogs(pod: PodReference, container: string): Promise<DiskUsage | undefined>;
  etcHosts(podUid: string): Promise<DiskUsage | undefined>;
}

/** Volumes of pods, as last measured. */
export interface PodVolumeStatistics {
  /** Returns the volumes of a pod, in any order; `undefined` for a pod that was not measured yet. */
  ofPod(podUid: string): readonly MeasuredVolume[] | undefined;
}

/** A measured volume. */
export interface MeasuredVolume {
  readonly stats: VolumeStats;
  /** The volume uses the node's file system and ends with the pod. */
  readonly isEphemeral: boolean;
}

/** Options of {@link createPodStatistics}. */
export interface PodStatisticsOptions {
  /** Take all of the runtime's statistics, and measure no cgroups (feature gate PodAndContainerStatsFromCRI). Default: false. */
  readonly onlyFromRuntime?: boolean | undefined;
}

/** Options of {@link PodStatistics.list}. */
export interface ListPodStatsOptions {
  /** Take a new sample for the rates of CPU usage that the runtime does not report. Their period is that between two such calls. */
  readonly updateRates: boolean;
  /** UIDs of the pods to measure. Default: all. */
  readonly podUids?: ReadonlySet<string> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Statistics of the pods of a node. */
export interface PodStatistics {
  list(options: ListPodStatsOptions): Promise<PodStats[]>;
  /** Returns CPU, memory and swap only, without a look at the disk. */
  listCpuAndMemory(signal?: AbortSignal): Promise<PodStats[]>;
}

/** Sandboxes and containers to measure. */
interface RuntimeObjects {
  readonly sandboxes: ReadonlyMap<string, PodSandbox>;
  readonly containers: ReadonlyMap<string, Container>;
}

/** A pod whose containers are being collected. */
interface MeasuredPod {
  readonly sandbox: PodSandbox;
  readonly measured: { readonly container: Container; readonly stats: CriContainerStats }[];
}

/** Creates {@link PodStatistics}: statistics of the runtime, with what the cgroups say where the agent can measure them. */
export function createPodStatistics(ports: PodStatisticsPorts, options: PodStatisticsOptions = {}): PodStatistics {
  const { runtime, clock, podFiles, volumes } = ports;
  const { onlyFromRuntime = false } = options;
  const rates = createUsageRates();

  const readObjects = async (call: CallOptions, podUids?: ReadonlySet<string>): Promise<RuntimeObjects> => {
    const [{ containers }, { items }] = await Promise.all([
      runtime.listContainers({}, call),
      runtime.listPodSandbox({}, call),
    ]);
    const sandboxes = items.filter(({ metadata }) => podUids?.has(metadata?.uid ?? '') !== false);
    return { sandboxes: currentSandboxes(sandboxes), containers: currentContainers(containers) };
  };

  /** Returns the statistics of all sandboxes; `undefined` when the runtime has none. */
  const readSandboxes = async (call: CallOptions): Promise<readonly PodSandboxStats[] | undefined> => {
    if (!onlyFromRuntime) return undefined;
    try {
      return (await runtime.listPodSandboxStats({}, call)).stats;
    } catch (error) {
      if (isUnimplemented(error)) return undefined;
      throw error;
    }
  };

  /** Reads the statistics of all containers. Pods come in the order of their first container. */
  const readPods = async ({ sandboxes, containers }: RuntimeObjects, call: CallOptions): Promise<MeasuredPod[]> => {
    const pods = new Map<string, MeasuredPod>();
    const { stats: all } = await runtime.listContainerStats({}, call);
    for (const stats of all) {
      const container = containers.get(stats.attributes?.id ?? '');
      const sandbox = container && sandboxes.get(container.podSandboxId);
      if (container === undefined || sandbox === undefined) continue;
      const pod = pods.get(sandbox.id) ?? { sandbox, measured: [] };
      pods.set(sandbox.id, pod);
      pod.measured.push({ container, stats });
    }
    return [...pods.values()];
  };

  /** Returns a function that finds the file system of a writable layer, each once. */
  const layerFileSystems = (): ((stats: CriContainerStats) => Promise<FileSystemUsage | undefined>) => {
    const found = new Map<string, Promise<FileSystemUsage | undefined>>();
    return async ({ writableLayer }) => {
      const mountpoint = writableLayer?.fsId?.mountpoint;
      if (mountpoint === undefined) return undefined;
      const usage = found.get(mountpoint) ?? ports.fileSystems.at(mountpoint);
      found.set(mountpoint, usage);
      return usage;
    };
  };

  const withStorage = async (pod: PodStats, rootFs: FileSystemUsage): Promise<PodStats> => {
    const measured = volumes.ofPod(pod.podRef.uid);
    const [podLogs, etcHosts] = await Promise.all([podFiles.podLogs(pod.podRef), podFiles.etcHosts(pod.podRef.uid)]);
    const ephemeral = measured?.filter(({ isEphemeral }) => isEphemeral) ?? [];
    const others = measured?.filter(({ isEphemeral }) => !isEphemeral) ?? [];
    const all = [...ephemeral, ...others].map(({ stats }) => stats);
    return {
      ...pod,
      ...(all.length > 0 && { volume: all }),
      'ephemeral-storage': ephemeralStorage(rootFs, {
        containers: pod.containers ?? [],
        volumes: ephemeral.map(({ stats }) => stats),
        podLogs,
        etcHosts,
      }),
    };
  };

  return {
    async list({ updateRates, podUids, signal }) {
      const call = { signal };
      const rootFs = await ports.fileSystems.root();
      const objects = await readObjects(call, podUids);
      const layerFs = layerFileSystems();
      const rateOf = updateRates ? rates.update : rates.last;
      const measure = async (
        pod: PodReference,
        container: Container,
        stats: CriContainerStats,
      ): Promise<ContainerStats> =>
        containerStats(stats, container, {
          nowMs: clock.now(),
          usageNanoCores: rateOf(stats),
          rootFs,
          layerFs: await layerFs(stats),
          logs: await podFiles.containerLogs(pod, container.metadata?.name ?? ''),
        });
      const sandboxStats = await readSandboxes(call);
      const result: PodStats[] = [];
      if (sandboxStats !== undefined) {
        for (const { sandbox, linux, measured } of knownSandboxes(sandboxStats, objects)) {
          const identity = podIdentity(sandbox);
          const containers: ContainerStats[] = [];
          for (const { container, stats } of measured) {
            containers.push(await measure(identity.podRef, container, stats));
          }
          const pod = { ...identity, containers: orNull(containers), ...podLevelStats(linux) };
          result.push(await withStorage(pod, rootFs));
        }
        rates.collectGarbage(clock.now());
        return result;
      }
      const pods = await readPods(objects, call);
      const cgroups = await ports.measureCgroups(new Set(objects.sandboxes.keys()), signal, podUids);
      for (const { sandbox, measured } of pods) {
        const identity = podIdentity(sandbox);
        const containers: ContainerStats[] = [];
        for (const { container, stats } of measured) {
          containers.push(await measure(identity.podRef, container, stats));
        }
        const processes = measured.flatMap(({ container }) => cgroups.ofContainer(container.id)?.processes ?? []);
        const network = cgroups.ofContainer(sandbox.id)?.network;
        const pod: PodStats = {
          ...identity,
          containers: measured.map(({ container }, index) => preferCgroup(containers[index]!, container, cgroups)),
          ...podTotals(containers, cgroups.ofPod(identity.podRef.uid)),
          ...(network && { network }),
          ...(processes.length > 0 && { process_stats: { process_count: processes.reduce((a, b) => a + b) } }),
        };
        result.push(await withStorage(pod, rootFs));
      }
      rates.collectGarbage(clock.now());
      return result;
    },
    async listCpuAndMemory(signal) {
      const call = { signal };
      const objects = await readObjects(call);
      const measure = (container: Container, stats: CriContainerStats): ContainerStats =>
        containerCpuAndMemory(stats, container, { nowMs: clock.now(), usageNanoCores: rates.last(stats) });
      const sandboxStats = await readSandboxes(call);
      if (sandboxStats !== undefined) {
        return knownSandboxes(sandboxStats, objects).map(({ sandbox, linux, measured }) => {
          const containers = measured.map(({ container, stats }) => measure(container, stats));
          const { cpu, memory } = podLevelStats(linux);
          const swap = swapTotal(containers, 'last');
          return {
            ...podIdentity(sandbox),
            containers: orNull(containers),
            ...(cpu && { cpu }),
            ...(memory && { memory }),
            ...(swap && { swap }),
          };
        });
      }
      const pods = await readPods(objects, call);
      const cgroups = await ports.measureCgroups(new Set(), signal);
      return pods.map(({ sandbox, measured }) => {
        const identity = podIdentity(sandbox);
        const containers = measured.map(({ container, stats }) => measure(container, stats));
        const { io: _io, ...totals } = podTotals(containers, cgroups.ofPod(identity.podRef.uid));
        const preferred = measured.map(({ container }, index) => {
          const { io: _containerIo, ...stats } = preferCgroup(containers[index]!, container, cgroups);
          return stats;
        });
        return { ...identity, containers: preferred, ...totals };
      });
    },
  };
}

function podIdentity({ metadata, createdAt }: PodSandbox): Pick<PodStats, 'podRef' | 'startTime'> {
  const { name = '', namespace = '', uid = '' } = metadata ?? {};
  return { podRef: { name, namespace, uid }, startTime: toMs(createdAt) };
}

/** Returns the statistics of sandboxes and containers that count, with the objects. */
function knownSandboxes(
  all: readonly PodSandboxStats[],
  { sandboxes, containers }: RuntimeObjects,
): (MeasuredPod & { readonly linux: NonNullable<PodSandboxStats['linux']> })[] {
  return all.flatMap(({ attributes, linux = { containers: [] } }) => {
    const sandbox = sandboxes.get(attributes?.id ?? '');
    if (sandbox === undefined) return [];
    const measured = linux.containers.flatMap((stats) => {
      const container = containers.get(stats.attributes?.id ?? '');
      return container === undefined ? [] : [{ container, stats }];
    });
    return [{ sandbox, linux, measured }];
  });
}

/** Replaces the runtime's figures by those of the container's cgroup. */
function preferCgroup(stats: ContainerStats, { id }: Container, cgroups: PodCgroupStats): ContainerStats {
  const measured = cgroups.ofContainer(id);
  if (measured === undefined) return stats;
  const { cpu, memory, io, swap } = measured;
  return { ...stats, cpu, memory, ...(io && { io }), ...(swap && { swap }) };
}

function orNull<T>(items: readonly T[]): readonly T[] | null {
  return items.length === 0 ? null : items;
}
