import type { Clock } from '@rxlet/component-base';
import type { ImageService } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import type { KernelFiles } from '../cgroup/kernel-files.ts';
import type { NodeCgroups } from '../cgroup/node-cgroups.ts';
import { toMs } from '../summary/from-cri.ts';
import { freeSpace } from '../summary/fs-stats.ts';
import type { FileSystems, PodStatistics } from '../summary/pod-statistics.ts';
import type { ContainerStats, FsStats, NodeStats, Summary } from '../summary/summary-types.ts';
import { bootTimeMs, rlimitStats } from './kernel-facts.ts';
import type { VolumeStatistics } from './volume-statistics.ts';

/** Ports of {@link createSummaryProvider}. */
export interface SummaryProviderPorts {
  readonly clock: Clock;
  readonly images: Pick<ImageService, 'imageFsInfo'>;
  readonly kernelFiles: KernelFiles;
  readonly fileSystems: FileSystems;
  readonly cgroups: NodeCgroups;
  readonly podStatistics: PodStatistics;
  /** `undefined` for an agent without volumes. */
  readonly volumes: VolumeStatistics | undefined;
  /** Pods whose volumes are measured. */
  activePods(): readonly Pod[];
  /** Returns the path of the cgroup of all pods. */
  podsPath(): string | undefined;
}

/** Options of {@link createSummaryProvider}. */
export interface SummaryProviderOptions {
  readonly nodeName: string;
  /** Cgroups of the system, as absolute paths (KubeletConfiguration `kubeletCgroups`, `systemCgroups`, and the kubelet's flag `--runtime-cgroups`). */
  readonly systemCgroups?: { readonly kubelet?: string; readonly runtime?: string; readonly misc?: string } | undefined;
}

/** Answers `/stats/summary`. */
export interface SummaryProvider {
  summary(signal?: AbortSignal): Promise<Summary>;
  /** Returns CPU, memory and swap only. */
  cpuAndMemory(signal?: AbortSignal): Promise<Summary>;
}

/** Period of the rates of CPU usage that are computed from statistics of the runtime. */
const RATE_PERIOD_MS = 10_000;

/** Creates a {@link SummaryProvider}. Its failures have the kubelet's words. */
export function createSummaryProvider(ports: SummaryProviderPorts, options: SummaryProviderOptions): SummaryProvider {
  const { clock, images, kernelFiles, fileSystems, cgroups, podStatistics, volumes } = ports;
  const { nodeName, systemCgroups = {} } = options;
  const createdMs = clock.now();
  let ratesAtMs = -Infinity;

  const rootCgroup = (): NonNullable<ReturnType<NodeCgroups['root']>> => {
    const root = cgroups.root();
    if (root === undefined)
      throw new Error('failed to get root cgroup stats: the node has no cgroups that can be read');
    return root;
  };
  const systemContainers = (only: 'all' | 'cpu and memory'): Pick<NodeStats, 'systemContainers'> => {
    const paths = [
      { name: 'kubelet', path: systemCgroups.kubelet },
      { name: 'runtime', path: systemCgroups.runtime },
      { name: 'misc', path: systemCgroups.misc },
      { name: 'pods', path: ports.podsPath() },
    ];
    const measuredCgroups = paths.flatMap(({ name, path }): ContainerStats[] => {
      const measured = path ? cgroups.measure(path) : undefined;
      if (measured === undefined) return [];
      const { cpu, memory, io, swap } = measured;
      const startTime = name === 'kubelet' ? createdMs : measured.createdMs;
      return [{ name, startTime, cpu, memory, ...(only === 'all' && io && { io }), ...(swap && { swap }) }];
    });
    return measuredCgroups.length === 0 ? {} : { systemContainers: measuredCgroups };
  };
  const imageFs = async (signal: AbortSignal | undefined): Promise<FsStats> => {
    const { imageFilesystems } = await images.imageFsInfo({}, { signal });
    const [first] = imageFilesystems;
    if (first === undefined) throw new Error('imageFs information is unavailable');
    const usage = first.fsId && (await fileSystems.at(first.fsId.mountpoint));
    return {
      time: toMs(first.timestamp),
      ...(usage && freeSpace(usage)),
      usedBytes: Number(first.usedBytes?.value ?? 0n),
      ...(first.inodesUsed && { inodesUsed: Number(first.inodesUsed.value) }),
    };
  };

  return {
    async summary(signal) {
      const { cpu, memory, io, swap, network } = rootCgroup();
      const root = await failing('failed to get rootFs stats', fileSystems.root());
      const image = await failing('failed to get imageFs stats', imageFs(signal));
      await volumes?.refresh(ports.activePods(), signal);
      const updateRates = clock.monotonicNow() - ratesAtMs >= RATE_PERIOD_MS;
      if (updateRates) ratesAtMs = clock.monotonicNow();
      const pods = await failing('failed to list pod stats', podStatistics.list({ updateRates, signal }));
      const { inodes, inodesFree } = root;
      return {
        node: {
          nodeName,
          ...systemContainers('all'),
          startTime: bootTimeMs(kernelFiles),
          cpu,
          memory,
          ...(io && { io }),
          ...(network && { network }),
          fs: {
            time: cpu.time,
            ...freeSpace(root),
            usedBytes: root.usedBytes,
            ...(inodes !== undefined && inodesFree !== undefined && { inodesUsed: inodes - inodesFree }),
          },
          runtime: { imageFs: image, containerFs: image },
          rlimit: rlimitStats(kernelFiles, clock.now()),
          ...(swap && { swap }),
        },
        pods,
      };
    },
    async cpuAndMemory(signal) {
      const { cpu, memory, swap } = rootCgroup();
      const pods = await failing('failed to list pod stats', podStatistics.listCpuAndMemory(signal));
      const startTime = Math.max(cgroups.measure('/')?.createdMs ?? 0, bootTimeMs(kernelFiles));
      const system = systemContainers('cpu and memory');
      return {
        node: { nodeName, ...system, startTime, cpu, memory, ...(swap && { swap }) },
        pods,
      };
    },
  };
}

/** Adds the failed action to the cause. */
async function failing<T>(action: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new Error(`${action}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
