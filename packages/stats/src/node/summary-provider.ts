import type { FileSystemLayout, NodeMemory } from '@rxlet/agent-api/node';
import type { Clock } from '@rxlet/component-base';
import type { FilesystemUsage, ImageService, ImageFsInfoResponse } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import type { KernelFiles } from '../cgroup/kernel-files.ts';
import type { NodeCgroups } from '../cgroup/node-cgroups.ts';
import { toMs } from '../summary/from-cri.ts';
import { freeSpace } from '../summary/fs-stats.ts';
import type { FileSystems, PodStatistics } from '../summary/pod-statistics.ts';
import type { ContainerStats, FsStats, NodeStats, Summary } from '../summary/summary-types.ts';
import { bootTimeMs, rlimitStats } from './kernel-facts.ts';
import { type SystemCgroups, systemCgroupPaths } from './system-cgroups.ts';
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
  readonly systemCgroups?: SystemCgroups | undefined;
}

/** Answers `/stats/summary`. */
export interface SummaryProvider {
  /** Measures everything; with UIDs, only these pods, whose volumes are then measured more often. */
  summary(signal?: AbortSignal, podUids?: ReadonlySet<string>): Promise<Summary>;
  /** Returns the memory of the node and of the cgroup of all pods. */
  memory(): NodeMemory;
  /** Returns which file systems hold images and writable layers. */
  fileSystemLayout(signal?: AbortSignal): Promise<FileSystemLayout>;
  /** Returns CPU, memory and swap only. */
  cpuAndMemory(signal?: AbortSignal): Promise<Summary>;
}

/** Period of the rates of CPU usage that are computed from statistics of the runtime. */
const RATE_PERIOD_MS = 10_000;

/** Creates a {@link SummaryProvider}. Its failures have the kubelet's words. */
export function createSummaryProvider(ports: SummaryProviderPorts, options: SummaryProviderOptions): SummaryProvider {
  const { clock, images, kernelFiles, fileSystems, cgroups, podStatistics, volumes } = ports;
  const { nodeName } = options;
  const createdMs = clock.now();
  let ratesAtMs = -Infinity;

  const rootCgroup = (): NonNullable<ReturnType<NodeCgroups['root']>> => {
    const root = cgroups.root();
    if (root === undefined)
      throw new Error('failed to get root cgroup stats: the node has no cgroups that can be read');
    return root;
  };
  const systemContainers = (only: 'all' | 'cpu and memory'): Pick<NodeStats, 'systemContainers'> => {
    const systemCgroups = systemCgroupPaths(kernelFiles, options.systemCgroups);
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
  const fsStats = async (measured: FilesystemUsage): Promise<FsStats> => {
    const usage = measured.fsId && (await fileSystems.at(measured.fsId.mountpoint));
    return {
      time: toMs(measured.timestamp),
      ...(usage && freeSpace(usage)),
      usedBytes: Number(measured.usedBytes?.value ?? 0n),
      ...(measured.inodesUsed && { inodesUsed: Number(measured.inodesUsed.value) }),
    };
  };
  const runtimeFs = async (signal: AbortSignal | undefined): Promise<NonNullable<NodeStats['runtime']>> => {
    const { imageFilesystems, containerFilesystems } = await images.imageFsInfo({}, { signal });
    const [ofImages] = imageFilesystems;
    if (ofImages === undefined) throw new Error('imageFs information is unavailable');
    const imageFs = await fsStats(ofImages);
    const [ofContainers] = containerFilesystems;
    const isShared = ofContainers?.fsId === undefined || ofContainers.fsId.mountpoint === ofImages.fsId?.mountpoint;
    return { imageFs, containerFs: isShared ? imageFs : await fsStats(ofContainers) };
  };
  const measurePods = async (
    podUids: ReadonlySet<string> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Summary['pods']> => {
    if (podUids?.size === 0) return [];
    if (podUids !== undefined) {
      await volumes?.refreshSoon(ports.activePods(), podUids, signal);
      return podStatistics.list({ updateRates: false, podUids, signal });
    }
    await volumes?.refresh(ports.activePods(), signal);
    const updateRates = clock.monotonicNow() - ratesAtMs >= RATE_PERIOD_MS;
    if (updateRates) ratesAtMs = clock.monotonicNow();
    return podStatistics.list({ updateRates, signal });
  };

  return {
    async summary(signal, podUids) {
      const { cpu, memory, io, swap, network } = rootCgroup();
      const root = await failing('failed to get rootFs stats', fileSystems.root());
      const runtime = await failing('failed to get imageFs stats', runtimeFs(signal));
      const pods = await failing('failed to list pod stats', measurePods(podUids, signal));
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
          runtime,
          rlimit: rlimitStats(kernelFiles, clock.now()),
          ...(swap && { swap }),
        },
        pods,
      };
    },
    memory() {
      const path = ports.podsPath();
      return { node: cgroups.memory('/'), pods: path === undefined ? undefined : cgroups.memory(path) };
    },
    fileSystemLayout: async (signal) => imageLayout(await images.imageFsInfo({}, { signal }), fileSystems),
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

/** Returns which file systems hold images and writable layers. A path that this node does not have counts as one on a file system of its own. */
async function imageLayout(
  { imageFilesystems, containerFilesystems }: ImageFsInfoResponse,
  fileSystems: Pick<FileSystems, 'isOnRoot'>,
): Promise<FileSystemLayout> {
  const imagesPath = imageFilesystems[0]?.fsId?.mountpoint;
  if (imagesPath === undefined) throw new Error('imageFs information is unavailable');
  const layersPath = containerFilesystems[0]?.fsId?.mountpoint ?? imagesPath;
  const [images, layers] = await Promise.all([fileSystems.isOnRoot(imagesPath), fileSystems.isOnRoot(layersPath)]);
  if (images) return layers ? 'shared' : 'separateContainers';
  return layers ? 'split' : 'dedicated';
}
