import { create } from '@bufbuild/protobuf';
import {
  type ContainerConfig,
  ContainerSchema,
  ContainerState,
  type ContainerStatus,
  ContainerStatusSchema,
  Signal,
} from '@rxlet/cri-api';
import type { Image } from './image.ts';
import { userFilesOf } from './images/image-files.ts';
import type { Exit } from './process/process.ts';
import { createPipe } from './shell/pipe.ts';
import { type Plan, usageOf } from './scripts/plan.ts';
import type { Container, Sandbox } from './runtime-objects.ts';
import { containerUser } from './security/container-user.ts';

/** Creates a container in state CREATED. Throws InvalidArgument for a user that it cannot have. */
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
      user: { linux: containerUser(config.linux?.securityContext, image.user, userFilesOf(image)) },
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

/** Returns the name that a container reserves. As in containerd and CRI-O it belongs to the pod, not to the sandbox: a new sandbox does not free it. */
export function containerName(sandbox: Sandbox, { metadata }: ContainerConfig): string {
  const { name, namespace, uid } = sandbox.config.metadata!;
  return [metadata!.name, name, namespace, uid, metadata!.attempt].join('_');
}

/** Returns the state's name for messages: `CONTAINER_RUNNING`. */
export function stateName(container: Container): string {
  return ContainerState[container.status.state];
}

export function isRunning(container: Container): boolean {
  return container.status.state === ContainerState.CONTAINER_RUNNING;
}

/** Returns the path of a container's log; empty without a log directory of its sandbox or without a log path. */
function logPathOf(sandbox: Sandbox, config: ContainerConfig): string {
  const directory = sandbox.config.logDirectory;
  return directory === '' || config.logPath === '' ? '' : `${directory.replace(/\/+$/, '')}/${config.logPath}`;
}
