import type { ContainerConfig, Image } from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import {
  containerFieldPath,
  type ContainerKind,
  newestContainerStatus,
  podEventObject,
  type RuntimeContainerStatus,
  type RuntimePodStatus,
} from '@rxlet/pod-model';
import { buildContainerConfig } from '../config/build-container-config.ts';
import { containerConfigError } from '../config/config-error.ts';
import { imageUserOf } from '../config/image-user.ts';
import type { Context } from '../context.ts';
import type { EnsuredImage } from '../ports.ts';
import { discardTerminationMessage, type EtcHosts, prepareOwnMounts } from './container-mounts.ts';
import { createContainer, startCreated } from './create-container.ts';
import { recordActuated } from '../resize/record-actuated.ts';
import type { SandboxHandle } from './create-sandbox.ts';
import { ImageStepFailure } from './ensure-image.ts';
import { imageVolumeMounts, type ImageVolumes } from './image-volumes.ts';
import { linkLog } from './link-log.ts';
import { removeNeverStarted, startableInstance } from './never-started.ts';
import { nextRestartCount } from './restart-count.ts';
import { runPostStart } from './run-post-start.ts';
import { failingAs, type StepFailure } from './step-failure.ts';
import { mayHaveHappened } from './unknown-outcome.ts';

/** A container to start. */
export interface StartContainerRequest {
  readonly pod: Pod;
  readonly kind: ContainerKind;
  readonly container: Container | EphemeralContainer;
  /** What the runtime held of the pod when the sync began. */
  readonly status: RuntimePodStatus;
  readonly sandbox: SandboxHandle;
  /** Makes the image present. @throws StepFailure */
  readonly image: () => Promise<EnsuredImage>;
  readonly imageVolumes: ImageVolumes;
  readonly etcHosts: EtcHosts;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Brings one container up: image, configuration, creation, start, postStart hook.
 * @throws StepFailure with the reason that its owner is shown.
 */
export async function startContainer(context: Context, request: StartContainerRequest): Promise<void> {
  const { pod, container, signal } = request;
  const object = podEventObject(pod, containerFieldPath(request.kind, container.name));
  let containerId = '';
  try {
    const instance = await instanceToStart(context, request);
    ({ containerId } = instance);
    // A sync that was aborted tells what it has made, and leaves the rest to the next one.
    if (signal?.aborted !== true) {
      await failingAs('PreStartHookError', () => context.internalHooks?.preStart?.(pod, container, containerId));
    }
    if (instance.isNew) context.events.event(object, 'Normal', 'Created', 'Container created');
    await failingAs('RunContainerError', () => startCreated(context, containerId, signal));
    context.events.event(object, 'Normal', 'Started', 'Container started');
    await linkLog(context, request, instance.restartCount, containerId);
  } catch (error) {
    if (signal?.aborted !== true) {
      context.events.event(object, 'Warning', 'Failed', eventText(error as StepFailure, containerId, container.name));
    }
    throw error;
  }
  await runPostStart(context, request, containerId);
}

/** What is needed of an instance to start it. */
interface Instance {
  readonly containerId: string;
  readonly restartCount: number;
  readonly isNew: boolean;
}

/** The instance to start: a new one, unless one waits for it already. */
async function instanceToStart(context: Context, request: StartContainerRequest): Promise<Instance> {
  const waiting = startableInstance(context, request);
  if (waiting === undefined) return createInstance(context, request);
  const started = await failingAs('RunContainerError', () => removeNeverStarted(context, request, waiting));
  return earlierInstance(started ?? waiting);
}

/** One that was there when the sync began. If it was started meanwhile, by a call that nobody saw the end of, starting it finds that out. */
function earlierInstance({ id, restartCount }: RuntimeContainerStatus): Instance {
  return { containerId: id.id, restartCount, isNew: false };
}

async function createInstance(context: Context, request: StartContainerRequest): Promise<Instance> {
  const { pod, container, signal } = request;
  const image = await request.image();
  const started = await failingAs('CreateContainerError', () => removeNeverStarted(context, request));
  if (started !== undefined) return earlierInstance(started);
  const config = await failingAs('CreateContainerConfigError', () => prepareConfig(context, request, image));
  try {
    await failingAs('CreateContainerError', () => recordActuated(context, request));
    await failingAs('PreCreateHookError', () => context.internalHooks?.preCreate?.(pod, container, config));
    const containerId = await failingAs('CreateContainerError', () => createContainer(context, request, config));
    return { containerId, restartCount: config.metadata?.attempt ?? 0, isNew: true };
  } catch (error) {
    // Each attempt makes a file of its own, and a container that cannot be created is tried for ever.
    const mayBeThere = signal?.aborted === true || mayHaveHappened((error as StepFailure).cause);
    if (!mayBeThere) await discardTerminationMessage(context, container, config);
    throw error;
  }
}

/** What the owner of a pod reads about a failed start. */
function eventText(failure: StepFailure, containerId: string, containerName: string): string {
  // Ids differ each time, and would make every event a new one.
  const message = containerId === '' ? failure.message : failure.message.replaceAll(containerId, containerName);
  switch (failure.reason) {
    case 'PreCreateHookError':
      return `Internal PreCreateContainer hook failed: ${message}`;
    case 'PreStartHookError':
      return `Internal PreStartContainer hook failed: ${message}`;
    default:
      return `Error: ${failure instanceof ImageStepFailure ? failure.reason : message}`;
  }
}

async function prepareConfig(
  context: Context,
  { pod, container, status, sandbox, imageVolumes, etcHosts, signal }: StartContainerRequest,
  { imageRef, user }: EnsuredImage,
): Promise<ContainerConfig> {
  refuseHooksWithoutPort(context, container);
  const targetContainerId = targetOf(container, status);
  const logDirectory = `${sandbox.config.logDirectory}/${container.name}`;
  const restartCount = await nextRestartCount(context.files, status, container.name, logDirectory);
  const imageUser = imageUserOf(user ?? (await imageStatus(context, container, signal)));
  const config = buildContainerConfig({
    pod,
    container,
    restartCount,
    podIps: sandbox.ips,
    imageRef,
    imageUser,
    mounts: imageVolumeMounts(container, imageVolumes),
    targetContainerId,
    settings: context.settings,
  });
  // Files are made only for a container that can be.
  await context.files.makeDirectory(logDirectory, 0o755);
  config.mounts.push(...(await prepareOwnMounts(context, pod, container, etcHosts)));
  return config;
}

async function imageStatus(
  { imageService }: Context,
  { image = '' }: Container | EphemeralContainer,
  signal: AbortSignal | undefined,
): Promise<Image | undefined> {
  return (await imageService.imageStatus({ image: { image } }, { signal })).image;
}

function refuseHooksWithoutPort({ hooks }: Context, { name, lifecycle }: Container | EphemeralContainer): void {
  if (hooks !== undefined || (lifecycle?.postStart === undefined && lifecycle?.preStop === undefined)) return;
  throw containerConfigError(`container ${name} has lifecycle hooks, and no port for lifecycle hooks was given`);
}

/** The container whose processes an ephemeral container wants to see; any instance will do that the runtime knows. */
function targetOf(container: Container | EphemeralContainer, status: RuntimePodStatus): string | undefined {
  const name = 'targetContainerName' in container ? container.targetContainerName : undefined;
  if (name === undefined || name === '') return undefined;
  const target = newestContainerStatus(status, name);
  if (target === undefined) throw containerConfigError(`unable to find target container ${name}`);
  return target.id.id;
}
