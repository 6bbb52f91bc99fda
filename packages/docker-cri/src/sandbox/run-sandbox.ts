import { errorMessage, nowNanos } from '@rxlet/component-base';
import { type PodSandboxConfig, Protocol, ServiceError, StatusCode } from '@rxlet/cri-api';
import type { Backend } from '../backend.ts';
import { seccompProfileFile } from '../container/security-options.ts';
import type { DockerContainer } from '../engine/docker-types.ts';
import { startMessage } from '../container/start-message.ts';
import { DockerError, isMissing } from '../engine/docker-error.ts';
import { pullImage } from '../image/pull-image.ts';
import { formatSandboxName, type SandboxName } from '../names/docker-names.ts';
import { checkName } from '../names/check-name.ts';
import { readProfile } from '../container/read-profile.ts';
import type { HostPort, SandboxNetwork } from './pod-network.ts';
import { formatResolvConf, hasDns } from './resolv-conf.ts';
import { isDefaultHandler, isHostNetwork, sandboxBody } from './sandbox-body.ts';

const RESOLV_CONF_MODE = 0o644;

/** Runs a sandbox and returns its id. A failed one is removed again. */
export async function runSandbox(
  backend: Backend,
  config: PodSandboxConfig,
  runtimeHandler: string,
  signal: AbortSignal,
): Promise<string> {
  const { creator, facts, lifetime } = backend;
  const name = sandboxName(config);
  const { CgroupDriver: cgroupDriver, Runtimes } = await facts.get(signal);
  if (!isDefaultHandler(runtimeHandler) && !Object.hasOwn(Runtimes ?? {}, runtimeHandler)) {
    throw new ServiceError(
      StatusCode.InvalidArgument,
      `no runtime for ${JSON.stringify(runtimeHandler)} is configured`,
    );
  }
  const image = await ensureSandboxImage(backend, signal);
  const context = config.linux?.securityContext;
  const profile = context && seccompProfileFile({ ...context, apparmorProfile: '', noNewPrivs: false });
  const body = sandboxBody(config, {
    image: image.Id,
    imageLabels: image.Config?.Labels ?? {},
    runtimeHandler,
    cgroupDriver,
    minOomScoreAdj: await backend.minOomScoreAdj(),
    seccompProfile: await readProfile(backend.hostFiles, profile),
  });
  const id = await creator.create(formatSandboxName(name), body, signal);
  return backend.sandboxQueue.run(id, async () => {
    try {
      await startSandbox(backend, id, name, config, signal);
      return id;
    } catch (error) {
      // The caller may have left, and must find nothing.
      await lifetime.track(undo(backend, id, networkOf(id, name, config, undefined)));
      throw error;
    }
  });
}

async function startSandbox(
  backend: Backend,
  id: string,
  name: SandboxName,
  config: PodSandboxConfig,
  signal: AbortSignal,
): Promise<void> {
  const { engine, network, checkpoints, clock } = backend;
  const isOnHost = isHostNetwork(config);
  const checkpoint = { id, name, isHostNetwork: isOnHost, hostPorts: hostPortsOf(config) };
  await checkpoints.write({ ...checkpoint, createdAt: String(nowNanos(clock)) });
  try {
    await engine.json('POST', `/containers/${id}/start`, { signal });
  } catch (error) {
    if (!(error instanceof DockerError)) throw error;
    throw new DockerError(error.httpStatus, startMessage(error.message), { cause: error });
  }
  const container = await engine.json<DockerContainer>('GET', `/containers/${id}/json`, { signal });
  if (hasDns(config.dnsConfig)) await writeResolvConf(backend, container, formatResolvConf(config.dnsConfig), signal);
  if (isOnHost) return;
  if (!container.State.Running) {
    throw new ServiceError(StatusCode.Internal, `the container of sandbox "${id}" exited: ${container.State.Error}`);
  }
  const netnsPath = `/proc/${String(container.State.Pid)}/ns/net`;
  const addresses = await network.setUp(networkOf(id, name, config, netnsPath), signal);
  if (addresses.length > 0) return;
  throw new ServiceError(StatusCode.Internal, `the network has assigned no address to sandbox "${id}"`);
}

async function undo(
  { engine, network, checkpoints, straySandboxes, logger }: Backend,
  id: string,
  own: SandboxNetwork,
): Promise<void> {
  try {
    await network.tearDown(own);
    await engine.json('DELETE', `/containers/${id}`, { query: { force: true, v: true } });
    await checkpoints.remove(id);
  } catch (error) {
    if (isMissing(error)) return;
    // It is listed as not ready, for its owner to remove.
    logger.warn('cannot remove a sandbox that failed to start', { id, error: errorMessage(error) });
    straySandboxes.request();
  }
}

/** Returns the sandbox image, which is pulled when it is absent. */
async function ensureSandboxImage(backend: Backend, signal: AbortSignal) {
  const { images, engine, sandboxImage } = backend;
  const present = await images.find(sandboxImage, signal);
  if (present !== undefined) return present;
  await pullImage(engine, sandboxImage, undefined, backend, signal);
  const pulled = await images.find(sandboxImage, signal);
  if (pulled !== undefined) return pulled;
  throw new ServiceError(StatusCode.NotFound, `the sandbox image ${sandboxImage} is absent after its pull`);
}

/** Writes in place: the file is mounted in all containers of the pod. */
async function writeResolvConf(
  { filesBelow, facts }: Backend,
  { ResolvConfPath }: DockerContainer,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const { DockerRootDir } = await facts.get(signal);
  if (ResolvConfPath === '') throw new ServiceError(StatusCode.Internal, 'Docker has no resolv.conf for the sandbox');
  await filesBelow(DockerRootDir).writeFile(ResolvConfPath, text, RESOLV_CONF_MODE);
}

/** Returns the identity in a configuration. Throws InvalidArgument for one that Docker's names cannot hold. */
function sandboxName({ metadata }: PodSandboxConfig): SandboxName {
  if (metadata === undefined) throw new ServiceError(StatusCode.InvalidArgument, 'the sandbox has no metadata');
  const { name, namespace, uid, attempt } = metadata;
  checkName({ name, namespace, uid });
  return { name, namespace, uid, attempt };
}

function networkOf(
  sandboxId: string,
  pod: SandboxName,
  config: PodSandboxConfig,
  netnsPath: string | undefined,
): SandboxNetwork {
  const { servers = [], searches = [], options = [] } = config.dnsConfig ?? {};
  return {
    sandboxId,
    pod,
    netnsPath,
    hostPorts: hostPortsOf(config),
    annotations: config.annotations,
    dns: { servers, searches, options },
  };
}

const PROTOCOLS = { [Protocol.TCP]: 'tcp', [Protocol.UDP]: 'udp', [Protocol.SCTP]: 'sctp' } as const;

function hostPortsOf({ portMappings }: PodSandboxConfig): readonly HostPort[] {
  return portMappings
    .filter(({ hostPort }) => hostPort > 0)
    .map(({ protocol, containerPort, hostPort, hostIp }) => ({
      protocol: PROTOCOLS[protocol],
      containerPort,
      hostPort,
      hostIp,
    }));
}
