import {
  type Clock,
  createKeyedExecutor,
  createLifetime,
  errorMessage,
  type Logger,
  noopLogger,
  type Random,
} from '@rxlet/component-base';
import {
  type ImageService,
  ImageServiceDescriptor,
  type RuntimeService,
  RuntimeServiceDescriptor,
} from '@rxlet/cri-api';
import type { PullProgressSource } from '@rxlet/cri-api/pull-progress';
import { createHostFiles, createNodeFiles, type HostFiles } from '@rxlet/node-files';
import type { Backend } from './backend.ts';
import { containerHandlers, loggedContainer } from './container/container-service.ts';
import { createContainers } from './engine/containers.ts';
import { createContainerCreator } from './engine/create-container.ts';
import { createDaemonFacts } from './engine/daemon-facts.ts';
import { createDockerEngine } from './engine/docker-engine.ts';
import { createHostAccess } from './host-access.ts';
import { imageHandlers } from './image/image-service.ts';
import { createImages } from './image/images.ts';
import { createPulls } from './image/pulls.ts';
import { createContainerLogs } from './logs/container-logs.ts';
import { createLogFiles } from './logs/log-files.ts';
import { createPositionStore, type PositionFiles } from './logs/position-store.ts';
import { createPort } from './rpc/port.ts';
import { runtimeHandlers } from './runtime/runtime-handlers.ts';
import { createStreamingServer, type StreamingOptions } from '@rxlet/streaming';
import { streamingHandlers } from './exec/streaming-service.ts';
import { createCheckpointStore } from './sandbox/checkpoint-store.ts';
import type { PodNetwork } from './sandbox/pod-network.ts';
import { sandboxHandlers } from './sandbox/sandbox-service.ts';
import { createSandboxAddresses } from './sandbox/sandbox-view.ts';
import { createStraySandboxes } from './sandbox/stray-sandboxes.ts';
import { statsHandlers } from './stats/stats-service.ts';
import { untilDone } from './until-done.ts';

/** Ports of {@link createDockerCri}. */
export interface DockerCriPorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Network of the pods that do not use that of the host. */
  readonly network: PodNetwork;
  /** Default: none. */
  readonly logger?: Logger;
}

/** Settings of {@link createDockerCri}. */
export interface DockerCriOptions {
  /** Path of Docker's socket. Default: `/var/run/docker.sock`. */
  readonly socketPath?: string;
  /** Directory of checkpoints. Default: `/var/lib/cri-dockerd`. */
  readonly rootDirectory?: string;
  /** Image of the container that holds a sandbox's namespaces. Default: `registry.k8s.io/pause:3.10.1`. */
  readonly sandboxImage?: string;
  /** Longest time without progress of a pull, in milliseconds. Default: one minute. */
  readonly imagePullProgressDeadlineMs?: number;
  /**
   * Sets no OOM score adjustment below that of this process. For a Docker that may not lower it, such as one inside of a container. Default: false.
   */
  readonly restrictOomScoreAdj?: boolean;
  /** Address of the streams of exec, attach and port-forward. Default: a free port of 127.0.0.1. */
  readonly streaming?: StreamingOptions;
}

/** A container runtime on Docker. Disposing of it stops writing logs and ends calls; containers keep running. */
export interface DockerCri extends AsyncDisposable {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Progress of the pulls, from Docker's messages. */
  readonly pullProgress: PullProgressSource;
  /**
   * Resumes the logs of running containers, and removes what a killed process has left, as soon as Docker answers. Rejects when the directory of checkpoints cannot be
   * written. The ports work before and without it.
   */
  start(): Promise<void>;
}

/** The kernel's smallest value. */
const MIN_OOM_SCORE_ADJ = -1000;

/**
 * Creates a container runtime on a Docker daemon. It does not connect before the first call.
 *
 * @example
 * ```ts
 * import { createCni, runProcess } from '@rxlet/cni';
 * import { systemClock, systemRandom } from '@rxlet/component-base';
 * import { createCniNetwork, createDockerCri } from '@rxlet/docker-cri';
 * import { createHostFiles, createNodeFiles } from '@rxlet/node-files';
 *
 * const rootDirectory = '/var/lib/docker-cri';
 * const files = { hostFiles: createHostFiles(), nodeFiles: createNodeFiles({ roots: [rootDirectory] }) };
 * const cni = createCni({ clock: systemClock, ...files, runProcess }, { cacheFolder: `${rootDirectory}/cni` });
 * await using docker = createDockerCri(
 *   { clock: systemClock, random: systemRandom, network: createCniNetwork(cni) },
 *   { socketPath: '/var/run/docker.sock', rootDirectory },
 * );
 * console.log(await docker.runtime.version({}));
 * ```
 */
export function createDockerCri(ports: DockerCriPorts, options: DockerCriOptions = {}): DockerCri {
  const { clock, random, network, logger = noopLogger } = ports;
  const { socketPath = '/var/run/docker.sock', rootDirectory = '/var/lib/cri-dockerd' } = options;
  const { sandboxImage = 'registry.k8s.io/pause:3.10.1', imagePullProgressDeadlineMs = 60_000 } = options;
  const { restrictOomScoreAdj = false } = options;
  const hostFiles = createHostFiles();
  const lifetime = createLifetime();
  const engine = createDockerEngine(socketPath, clock);
  lifetime.defer(() => engine[Symbol.asyncDispose]());
  const files = createNodeFiles({ roots: [rootDirectory] });
  const positions = createPositionStore(files, rootDirectory);
  const logs = createContainerLogs(engine, createLogFiles(), positions, { clock, logger });
  lifetime.defer(() => logs[Symbol.asyncDispose]());
  const parts = {
    clock,
    random,
    logger,
    engine,
    containers: createContainers(engine),
    creator: createContainerCreator(engine, random, logger),
    images: createImages(engine),
    pulls: createPulls(),
    facts: createDaemonFacts(engine),
    network,
    addresses: createSandboxAddresses(network),
    checkpoints: createCheckpointStore(files, rootDirectory, logger),
    logs,
    host: createHostAccess(),
    hostFiles,
    filesBelow: (root: string) => createNodeFiles({ roots: [root] }),
    sandboxQueue: createKeyedExecutor(),
    lifetime,
    sandboxImage,
    progressDeadlineMs: imagePullProgressDeadlineMs,
    minOomScoreAdj: () => (restrictOomScoreAdj ? ownOomScoreAdj(hostFiles) : Promise.resolve(MIN_OOM_SCORE_ADJ)),
  };
  const backend: Backend = { ...parts, straySandboxes: createStraySandboxes(parts) };
  const streaming = createStreamingServer({ clock, random }, options.streaming);
  lifetime.defer(() => streaming[Symbol.asyncDispose]());
  const handlers = {
    ...runtimeHandlers(backend),
    ...sandboxHandlers(backend),
    ...containerHandlers(backend),
    ...statsHandlers(backend),
    ...streamingHandlers(backend, streaming),
  };
  return {
    runtime: createPort(RuntimeServiceDescriptor, handlers, clock, lifetime.signal) as RuntimeService,
    images: createPort(ImageServiceDescriptor, imageHandlers(backend), clock, lifetime.signal) as ImageService,
    pullProgress: backend.pulls.source,
    async start() {
      await backend.checkpoints.prepare();
      void lifetime.track(recover(backend, positions)).catch(() => undefined);
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

async function ownOomScoreAdj(files: HostFiles): Promise<number> {
  const file = await files.read('/proc/self/oom_score_adj', 64);
  return Number(Buffer.from(file?.bytes ?? []).toString('utf8'));
}

/** Takes over from an earlier process as soon as Docker answers. */
async function recover(backend: Backend, positions: PositionFiles): Promise<void> {
  await untilDone(backend, 'cannot take over the containers of an earlier process yet', async () => {
    await resumeLogs(backend, positions);
    await removeLeftNetworks(backend);
    await backend.straySandboxes.stopAll();
  });
}

/** Also completes the logs of containers that have exited meanwhile. */
async function resumeLogs({ containers, logs, lifetime }: Backend, positions: PositionFiles): Promise<void> {
  const listed = await containers.list('container', undefined, lifetime.signal);
  for (const { Id, State } of listed) {
    if (State === 'created') continue;
    const container = await containers.find('container', Id, lifetime.signal);
    const logged = container && loggedContainer(container);
    if (logged !== undefined) logs.follow(logged);
  }
  const present = new Set(listed.map(({ Id }) => Id));
  for (const id of await positions.list()) if (!present.has(id)) await positions.remove(id);
}

/** Disconnects sandboxes of which nothing else is left. Those with a checkpoint are removed by their owner. */
async function removeLeftNetworks({ containers, checkpoints, network, logger, lifetime }: Backend): Promise<void> {
  // First, so that a sandbox that is just being connected is among the others.
  const connected = await network.connectedSandboxes();
  const stored = await checkpoints.list();
  const listed = await containers.list('podsandbox', undefined, lifetime.signal);
  const present = new Set([...listed.map(({ Id }) => Id), ...stored.map(({ id }) => id)]);
  for (const sandboxId of connected) {
    if (present.has(sandboxId)) continue;
    logger.info('disconnecting a sandbox that no longer exists', { sandboxId });
    const pod = { name: '', namespace: '', uid: '' };
    const dns = { servers: [], searches: [], options: [] };
    try {
      const own = { sandboxId, pod, netnsPath: undefined, hostPorts: [], annotations: {}, dns };
      await network.tearDown(own, lifetime.signal);
    } catch (error) {
      logger.warn('cannot disconnect a sandbox that no longer exists', { sandboxId, error: errorMessage(error) });
    }
  }
}
