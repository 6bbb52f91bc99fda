import { fromJson, type JsonValue } from '@bufbuild/protobuf';
import { toRfc3339 } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import {
  ListContainersResponseSchema,
  ListContainerStatsResponseSchema,
  ListPodSandboxResponseSchema,
  ListPodSandboxStatsResponseSchema,
  type RuntimeService,
} from '@rxlet/cri-api';
import {
  createPodStatistics,
  type DiskUsage,
  type FileSystemUsage,
  type MeasuredVolume,
  noCgroupStats,
} from '@rxlet/stats';
import type { Answer } from '../vector-kind.ts';

interface FileSystem {
  readonly available: number;
  readonly capacity: number;
  readonly usage: number;
  readonly inodes?: number;
  readonly inodesFree?: number;
}

interface Usage {
  readonly usedBytes: number;
  readonly inodesUsed: number;
  readonly secondsAgo: number;
}

interface Volume extends Usage {
  readonly name: string;
  readonly pvc?: string;
  readonly ephemeral: boolean;
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

interface StatsVector {
  readonly input: {
    readonly podAndContainerStatsFromCRI: boolean;
    readonly podSandboxes: JsonValue[] | null;
    readonly containers: JsonValue[] | null;
    readonly rootFs: FileSystem;
    readonly filesystems: Readonly<Record<string, FileSystem>>;
    readonly volumes?: Readonly<Record<string, readonly Volume[]>>;
    readonly podLogs?: Readonly<Record<string, Usage>>;
    readonly containerLogs?: Readonly<Record<string, Usage>>;
    readonly etcHosts?: Readonly<Record<string, Usage>>;
    readonly rounds: readonly {
      readonly updateNanoCores: boolean;
      readonly podSandboxStats?: JsonValue[] | null;
      readonly containerStats?: JsonValue[] | null;
    }[];
  };
  readonly want: { readonly rounds: readonly { readonly pods: readonly object[] | null }[] };
}

/** 2023-11-14T22:13:20Z, the present of all vectors. */
const T0 = 1_700_000_000_000;

/** Measures the pods of a runtime again and again. */
export async function run({ input, want }: StatsVector): Promise<Answer> {
  const clock = createVirtualClock({ startMs: T0 });
  let round = input.rounds[0]!;
  const runtime: Pick<
    RuntimeService,
    'listContainers' | 'listPodSandbox' | 'listContainerStats' | 'listPodSandboxStats'
  > = {
    listContainers: async () => fromJson(ListContainersResponseSchema, { containers: input.containers ?? [] }),
    listPodSandbox: async () => fromJson(ListPodSandboxResponseSchema, { items: input.podSandboxes ?? [] }),
    listContainerStats: async () => fromJson(ListContainerStatsResponseSchema, { stats: round.containerStats ?? [] }),
    listPodSandboxStats: async () =>
      fromJson(ListPodSandboxStatsResponseSchema, { stats: round.podSandboxStats ?? [] }),
  };
  const at = async (path: string): Promise<FileSystemUsage | undefined> => {
    const found = input.filesystems[path];
    return found && fileSystem(found);
  };
  const statistics = createPodStatistics(
    {
      runtime,
      clock,
      fileSystems: { root: async () => fileSystem(input.rootFs), at },
      podFiles: {
        podLogs: async ({ uid }) => usageOf(input.podLogs?.[uid]),
        containerLogs: async ({ uid }, container) => usageOf(input.containerLogs?.[`${uid}/${container}`]),
        etcHosts: async (uid) => usageOf(input.etcHosts?.[uid]),
      },
      volumes: { ofPod: (uid) => input.volumes?.[uid]?.map(volume) },
      measureCgroups: async () => noCgroupStats,
    },
    { onlyFromRuntime: input.podAndContainerStatsFromCRI },
  );
  const rounds: unknown[] = [];
  for (round of input.rounds) {
    const pods = await statistics.list({ updateRates: round.updateNanoCores });
    pods.sort((a, b) => order(a.podRef).localeCompare(order(b.podRef)));
    rounds.push({ pods: pods.length === 0 ? null : pods.map((pod) => recorded(pod)) });
  }
  return { got: { rounds }, want: { rounds: want.rounds.map(({ pods }) => ({ pods: pods?.length ? pods : null })) } };
}

function order({ name, uid }: { readonly name: string; readonly uid: string }): string {
  return `${name} ${uid}`;
}

function fileSystem({ available, capacity, usage, inodes, inodesFree }: FileSystem): FileSystemUsage {
  return {
    timeMs: T0,
    availableBytes: available,
    capacityBytes: capacity,
    usedBytes: usage,
    ...(inodes !== undefined && { inodes }),
    ...(inodesFree !== undefined && { inodesFree }),
  };
}

function usageOf(usage: Usage | undefined): DiskUsage | undefined {
  if (usage === undefined) return undefined;
  return { timeMs: T0 - usage.secondsAgo * 1000, usedBytes: usage.usedBytes, inodesUsed: usage.inodesUsed };
}

function volume({ ephemeral, pvc, secondsAgo, ...rest }: Volume): MeasuredVolume {
  const pvcRef = pvc === undefined ? {} : { pvcRef: { name: pvc, namespace: 'ns' } };
  return { isEphemeral: ephemeral, stats: { time: T0 - secondsAgo * 1000, ...pvcRef, ...rest } };
}

/** Returns statistics in the form in which they were recorded. */
function recorded(value: object): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, item: unknown) => {
      if (typeof item !== 'number' || (key !== 'time' && key !== 'startTime')) return item;
      if (item === 0) return null;
      return item === T0 ? '<now>' : toRfc3339(item);
    }),
  );
}
