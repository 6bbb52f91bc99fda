import {
  type ContainerStatus,
  ContainerState,
  ContainerStatusSchema,
  type Mount,
  MountPropagation,
} from '@rxlet/cri-api';
import { create } from '@bufbuild/protobuf';
import type { DockerContainer, DockerMount } from '../engine/docker-types.ts';
import { dockerTimeNanos } from '../engine/docker-time.ts';
import { DockerLabel, fromDockerLabels } from '../names/docker-labels.ts';
import { parseContainerName } from '../names/docker-names.ts';

/** State of a container as the CRI reports it. */
interface Life {
  readonly state: ContainerState;
  readonly startedAt: bigint;
  readonly finishedAt: bigint;
  readonly exitCode: number;
  readonly reason: string;
}

/** Returns the status of a container; `imageRef` is its image as pulled. */
export function containerStatus(container: DockerContainer, imageRef: string): ContainerStatus {
  const { Id, Name, Created, Config, Image, Mounts, State } = container;
  const parsed = parseContainerName(Name);
  return create(ContainerStatusSchema, {
    id: Id,
    metadata: { name: parsed?.container ?? '', attempt: parsed?.attempt ?? 0 },
    createdAt: dockerTimeNanos(Created),
    ...lifeOf(container),
    image: { image: Config.Image },
    imageRef,
    imageId: Image,
    message: State.Error,
    ...fromDockerLabels(Config.Labels),
    mounts: Mounts.map(mountOf),
    logPath: Config.Labels?.[DockerLabel.logPath] ?? '',
    resources: { linux: resourcesOf(container) },
  });
}

function lifeOf({ Created, State }: DockerContainer): Life {
  const startedAt = dockerTimeNanos(State.StartedAt);
  const finishedAt = dockerTimeNanos(State.FinishedAt);
  const { ExitCode: exitCode } = State;
  if (State.Running)
    return { state: ContainerState.CONTAINER_RUNNING, startedAt, finishedAt: 0n, exitCode: 0, reason: '' };
  if (finishedAt > 0n && startedAt > 0n) {
    const reason = State.OOMKilled ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error';
    return { state: ContainerState.CONTAINER_EXITED, startedAt, finishedAt, exitCode, reason };
  }
  // Docker could not start it: it has an exit code, but neither began nor ended.
  if (exitCode !== 0) {
    const at = finishedAt > 0n ? finishedAt : dockerTimeNanos(Created);
    return {
      state: ContainerState.CONTAINER_EXITED,
      startedAt: at,
      finishedAt: at,
      exitCode,
      reason: 'ContainerCannotRun',
    };
  }
  return { state: ContainerState.CONTAINER_CREATED, startedAt: 0n, finishedAt: 0n, exitCode: 0, reason: '' };
}

const PROPAGATIONS: Readonly<Record<string, MountPropagation>> = {
  rslave: MountPropagation.PROPAGATION_HOST_TO_CONTAINER,
  rshared: MountPropagation.PROPAGATION_BIDIRECTIONAL,
};

function mountOf({ Source, Destination, RW, Propagation }: DockerMount): Partial<Mount> {
  return {
    hostPath: Source,
    containerPath: Destination,
    readonly: !RW,
    propagation: PROPAGATIONS[Propagation] ?? MountPropagation.PROPAGATION_PRIVATE,
  };
}

function resourcesOf({ HostConfig }: DockerContainer) {
  const { CpuPeriod = 0, CpuQuota = 0, CpuShares = 0, Memory = 0, MemorySwap = 0, OomScoreAdj = 0 } = HostConfig;
  return {
    cpuPeriod: BigInt(CpuPeriod),
    cpuQuota: BigInt(CpuQuota),
    cpuShares: BigInt(CpuShares),
    memoryLimitInBytes: BigInt(Memory),
    memorySwapLimitInBytes: BigInt(MemorySwap),
    oomScoreAdj: BigInt(OomScoreAdj),
    cpusetCpus: HostConfig.CpusetCpus ?? '',
    cpusetMems: HostConfig.CpusetMems ?? '',
  };
}
