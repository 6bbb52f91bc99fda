import { create } from '@bufbuild/protobuf';
import {
  type Container as ContainerMessage,
  type ContainerConfig,
  ContainerSchema,
  ContainerState,
  type ContainerStatus,
  ContainerStatusSchema,
  type LinuxContainerSecurityContext,
  Signal,
} from '@rxlet/cri-api';
import type { FileSystem } from './fs/file-system.ts';
import type { Image } from './image.ts';
import type { LogWriter } from './logs/log-writer.ts';
import type { Exit, Process } from './process/process.ts';
import type { Sandbox } from './sandbox.ts';
import { createPipe, type Pipe } from './shell/pipe.ts';
import type { UsageModel } from './stats/usage-model.ts';
import { type Plan, usageOf } from './scripts/plan.ts';

/**
 * A container:
 *
 *                CreateContainer            StartContainer            program ends, StopContainer,
 *                                                                     StopPodSandbox
 *     (absent) ──────────────────▶ CREATED ────────────────▶ RUNNING ─────────────────────────────▶ EXITED
 *                                   │   │   start fails: StartError, exit code 128                    ▲  │
 *                                   │   └─────────────────────────────────────────────────────────────┘  │
 *                                   │  RemoveContainer, RemovePodSandbox; what runs is killed first      ▼
 *                                   └────────────────────────────────────────────────────────────────▶ (absent)
 *
 * It is started at most once; a restart is a new container with the next attempt. Stopping one that does not run, and stopping or removing one that
 * does not exist, succeeds and does nothing. The messages are replaced on each change and never changed themselves, so that answers and events can
 * share them.
 */
export interface Container {
  readonly id: string;
  /** What is reserved: `container_pod_namespace_uid_attempt`. */
  readonly name: string;
  readonly sandbox: Sandbox;
  readonly config: ContainerConfig;
  /** The image as it was when the container was created. */
  readonly image: Image;
  /** What its behaviour script has for it. */
  readonly plan: Plan | undefined;
  /** Its files, made when they are first asked for: see `filesOf`. */
  files: FileSystem | undefined;
  /** When it started, on the monotonic clock. */
  startedMs: number | undefined;
  /** Its scripted ports, which are served while it runs. */
  ports: readonly Disposable[];
  /** Where its program reads from and attached clients write to, when it was created with `stdin`. */
  readonly input: Pipe | undefined;
  /** Its programs besides the first, that Exec and ExecSync started. */
  readonly execs: Set<Process>;
  status: ContainerStatus;
  /** What lists show. */
  listed: ContainerMessage;
  /** While it runs. */
  process: Process | undefined;
  /** While it runs, unless it has no log path. */
  log: LogWriter | undefined;
  /** What it uses of the node over time; `undefined` for the default. To be set before it starts: CPU time once used stays used. */
  usage: UsageModel | undefined;
}

/** A container that is created. */
export function createContainer(
  id: string,
  name: string,
  sandbox: Sandbox,
  config: ContainerConfig,
  image: Image,
  createdAt: bigint,
  plan?: Plan,
): Container {
  const { metadata, labels, annotations } = config;
  const { repoTags, repoDigests } = image.message;
  const common = {
    id,
    metadata: metadata!,
    state: ContainerState.CONTAINER_CREATED,
    createdAt,
    labels,
    annotations,
    imageId: image.id,
  };
  return {
    id,
    name,
    sandbox,
    config,
    image,
    plan,
    files: undefined,
    startedMs: undefined,
    ports: [],
    input: config.stdin ? createPipe() : undefined,
    execs: new Set(),
    process: undefined,
    log: undefined,
    usage: usageOf(plan),
    listed: create(ContainerSchema, { ...common, podSandboxId: sandbox.id, image: config.image!, imageRef: image.id }),
    status: create(ContainerStatusSchema, {
      ...common,
      // As containerd: the tag under which the image is known, and its digest in the registry.
      image: { ...config.image!, image: repoTags[0] ?? repoDigests[0] ?? image.id },
      imageRef: repoDigests[0] ?? image.id,
      mounts: config.mounts,
      logPath: logPathOf(sandbox, config),
      resources: config.linux?.resources === undefined ? undefined : { linux: config.linux.resources },
      user: { linux: linuxUser(config.linux?.securityContext, image) },
      stopSignal: config.stopSignal === Signal.RUNTIME_DEFAULT ? Signal.SIGTERM : config.stopSignal,
    }),
  };
}

/** CREATED → RUNNING. */
export function markRunning(container: Container, startedAt: bigint): void {
  setState(container, { state: ContainerState.CONTAINER_RUNNING, startedAt });
}

/** RUNNING or CREATED → EXITED. */
export function markExited(container: Container, exit: Exit, finishedAt: bigint): void {
  setState(container, {
    state: ContainerState.CONTAINER_EXITED,
    finishedAt,
    exitCode: exit.code,
    reason: exit.reason ?? (exit.code === 0 ? 'Completed' : 'Error'),
    message: exit.message ?? '',
  });
}

function setState(container: Container, change: Partial<ContainerStatus> & { state: ContainerState }): void {
  container.status = { ...container.status, ...change };
  container.listed = { ...container.listed, state: change.state };
}

/** The name that a container reserves. As in containerd and CRI-O it is one of the pod, not of the sandbox: a new sandbox does not free it. */
export function containerName(sandbox: Sandbox, { metadata }: ContainerConfig): string {
  const { name, namespace, uid } = sandbox.config.metadata!;
  return [metadata!.name, name, namespace, uid, metadata!.attempt].join('_');
}

/** The state's name for messages: `CONTAINER_RUNNING`. */
export function stateName(container: Container): string {
  return ContainerState[container.status.state];
}

export function isRunning(container: Container): boolean {
  return container.status.state === ContainerState.CONTAINER_RUNNING;
}

/** Where its log goes; empty when its sandbox has no log directory or it has no log path. */
function logPathOf(sandbox: Sandbox, config: ContainerConfig): string {
  const directory = sandbox.config.logDirectory;
  return directory === '' || config.logPath === '' ? '' : `${directory.replace(/\/+$/, '')}/${config.logPath}`;
}

/** The user it runs as: what its configuration says, otherwise its image, otherwise root. The primary group is one of the supplemental ones too. */
function linuxUser(
  context: LinuxContainerSecurityContext | undefined,
  image: Image,
): { uid: bigint; gid: bigint; supplementalGroups: bigint[] } {
  const uid = context?.runAsUser?.value ?? image.message.uid?.value ?? 0n;
  const gid = context?.runAsGroup?.value ?? 0n;
  return { uid, gid, supplementalGroups: [...new Set([gid, ...(context?.supplementalGroups ?? [])])] };
}
