import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import {
  type Container,
  type ContainerFilter,
  ContainerSchema,
  ContainerState,
  type CreateContainerRequest,
  PodSandboxConfigSchema,
  type RuntimeServiceDescriptor,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import type { Backend } from '../backend.ts';
import { DockerError } from '../engine/docker-error.ts';
import type { DockerContainer, DockerListedContainer } from '../engine/docker-types.ts';
import { DockerLabel, fromDockerLabels } from '../names/docker-labels.ts';
import { checkName } from '../names/check-name.ts';
import { formatContainerName, parseContainerName, parseSandboxName } from '../names/docker-names.ts';
import { inBatches } from '../rpc/batches.ts';
import { hasId, hasLabels } from '../rpc/filters.ts';
import type { Handlers } from '../rpc/port.ts';
import type { LoggedContainer } from '../logs/container-logs.ts';
import { containerBody } from './container-body.ts';
import { containerStatus } from './container-status.ts';
import { dockerResources, resourcesWithoutEffect } from './docker-resources.ts';
import { removeContainer, stopContainer } from './end-container.ts';
import { readProfile } from './read-profile.ts';
import { startMessage } from './start-message.ts';
import { seccompProfileFile } from './security-options.ts';

/** Handlers of the RPCs of containers. */
export function containerHandlers(backend: Backend): Handlers<typeof RuntimeServiceDescriptor> {
  const { engine, containers, images, logs } = backend;
  return {
    createContainer: async (request, signal) => ({ containerId: await createContainer(backend, request, signal) }),
    async startContainer({ containerId }, signal) {
      const container = await containers.inspect('container', containerId, signal);
      const { Status, ExitCode } = container.State;
      if (Status !== 'created' || ExitCode !== 0) {
        throw new ServiceError(StatusCode.FailedPrecondition, `container "${container.Id}" is in state ${Status}`);
      }
      const logged = loggedContainer(container);
      // Callers read the log as soon as the container has started.
      if (logged !== undefined) await logs.prepare(logged);
      try {
        await engine.json('POST', `/containers/${container.Id}/start`, { signal });
      } catch (error) {
        // The program may be missing, which must not read as a missing container.
        if (error instanceof DockerError)
          throw new ServiceError(StatusCode.Unknown, startMessage(error.message), { cause: error });
        throw error;
      } finally {
        // Also after a lost answer, since it may run.
        if (logged !== undefined) logs.follow(logged);
      }
      return {};
    },
    async stopContainer({ containerId, timeout }, signal) {
      const container = await containers.find('container', containerId, signal);
      if (container !== undefined) await stopContainer(backend, container.Id, Math.max(0, Number(timeout)), signal);
      return {};
    },
    async removeContainer({ containerId }, signal) {
      const container = await containers.find('container', containerId, signal);
      if (container !== undefined) await removeContainer(backend, container.Id, signal);
      return {};
    },
    async containerStatus({ containerId, verbose }, signal) {
      const container = await containers.inspect('container', containerId, signal);
      const info: Record<string, string> = verbose ? { info: JSON.stringify(container) } : {};
      const status = containerStatus(container, await images.refOf(container.Image, signal));
      // Callers take the reason of a failure from the end of its log.
      if (status.state === ContainerState.CONTAINER_EXITED) await logs.complete(container.Id);
      return { status, info };
    },
    listContainers: async ({ filter }, signal) => ({ containers: await listContainers(backend, filter, signal) }),
    async *streamContainers({ filter }, signal) {
      for (const batch of inBatches(await listContainers(backend, filter, signal))) yield { containers: batch };
    },
    async updateContainerResources({ containerId, linux }, signal) {
      const { Id } = await containers.inspect('container', containerId, signal);
      const body = dockerResources(linux);
      if (Object.keys(body).length > 0) await engine.json('POST', `/containers/${Id}/update`, { body, signal });
      return {};
    },
    async reopenContainerLog({ containerId }, signal) {
      const container = await containers.inspect('container', containerId, signal);
      if (!container.State.Running) {
        throw new ServiceError(StatusCode.FailedPrecondition, `container "${container.Id}" does not run`);
      }
      const logged = loggedContainer(container);
      if (logged !== undefined) await logs.reopen(logged);
      return {};
    },
  };
}

async function createContainer(
  backend: Backend,
  request: CreateContainerRequest,
  signal: AbortSignal,
): Promise<string> {
  const { containers, images, facts, creator, hostFiles, logger } = backend;
  const { podSandboxId, config } = request;
  const sandbox = await containers.inspect('podsandbox', podSandboxId, signal);
  const invalid = (message: string): ServiceError => new ServiceError(StatusCode.InvalidArgument, message);
  if (config?.metadata === undefined) throw invalid('the container has no metadata');
  const reference = config.image?.image ?? '';
  if (reference === '') throw invalid('the container has no image');
  const pod = parseSandboxName(sandbox.Name);
  if (pod === undefined)
    throw new ServiceError(StatusCode.Internal, `the sandbox has the foreign name ${sandbox.Name}`);
  const { name: container, attempt } = config.metadata;
  checkName({ 'container name': container });
  const settings = resourcesWithoutEffect(config.linux?.resources);
  if (settings.length > 0) logger.warn('Docker cannot limit some resources of a container', { container, settings });
  const image = await images.find(reference, signal);
  if (image === undefined) {
    throw new ServiceError(StatusCode.NotFound, `image ${JSON.stringify(reference)} not found`);
  }
  const sandboxConfig = request.sandboxConfig ?? create(PodSandboxConfigSchema);
  const context = config.linux?.securityContext;
  const body = containerBody(config, {
    sandboxId: sandbox.Id,
    sandboxConfig,
    isHostNetwork: sandbox.HostConfig.NetworkMode === 'host',
    logPath: logPathOf(sandboxConfig.logDirectory, config.logPath),
    seccompProfile: await readProfile(hostFiles, context && seccompProfileFile(context)),
    imageLabels: image.Config?.Labels ?? {},
    cgroupDriver: (await facts.get(signal)).CgroupDriver,
    minOomScoreAdj: await backend.minOomScoreAdj(),
  });
  return creator.create(formatContainerName({ container, attempt, pod }), body, signal);
}

/** Lists containers. */
export async function listContainers(
  { containers, images }: Backend,
  filter: ContainerFilter | undefined,
  signal: AbortSignal,
): Promise<Container[]> {
  const listed = await containers.list('container', undefined, signal);
  const found = await Promise.all(
    listed.map(async (container) => {
      const [createdAt, imageRef] = await Promise.all([
        containers.createdAt(container, signal),
        images.refOf(container.ImageID, signal),
      ]);
      return listedContainer(container, createdAt, imageRef);
    }),
  );
  const all = found.filter((container) => container !== undefined);
  if (filter === undefined) return all;
  const { id, podSandboxId, state, labelSelector } = filter;
  return all.filter(
    (container) =>
      hasId(container.id, id) &&
      hasId(container.podSandboxId, podSandboxId) &&
      (state === undefined || container.state === state.state) &&
      hasLabels(container.labels, labelSelector),
  );
}

const STATES: Readonly<Record<string, ContainerState>> = {
  created: ContainerState.CONTAINER_CREATED,
  running: ContainerState.CONTAINER_RUNNING,
  paused: ContainerState.CONTAINER_RUNNING,
  restarting: ContainerState.CONTAINER_RUNNING,
};

function listedContainer(listed: DockerListedContainer, createdAt: bigint, imageRef: string): Container | undefined {
  const name = (listed.Names ?? []).map(parseContainerName).find((parsed) => parsed !== undefined);
  if (name === undefined) return undefined;
  return create(ContainerSchema, {
    id: listed.Id,
    podSandboxId: listed.Labels?.[DockerLabel.sandboxId] ?? '',
    metadata: { name: name.container, attempt: name.attempt },
    image: { image: listed.Image },
    imageRef,
    imageId: listed.ImageID,
    state: STATES[listed.State] ?? ContainerState.CONTAINER_EXITED,
    createdAt,
    ...fromDockerLabels(listed.Labels),
  });
}

/** Returns the log of a container; `undefined` when it has none. */
export function loggedContainer({ Id, Config }: DockerContainer): LoggedContainer | undefined {
  const logPath = Config.Labels?.[DockerLabel.logPath];
  return logPath === undefined ? undefined : { id: Id, logPath, hasTerminal: Config.Tty };
}

function logPathOf(directory: string, path: string): string | undefined {
  if (directory === '' || path === '') return undefined;
  if (!directory.startsWith('/') || path.split('/').includes('..')) {
    throw new ServiceError(
      StatusCode.InvalidArgument,
      `the log path ${JSON.stringify(path)} leads out of ${directory}`,
    );
  }
  return join(directory, path);
}
