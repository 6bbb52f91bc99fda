import { inSpan, type Span, type SpanStart } from '@rxlet/agent-api/journal';
import type { EnsuredImage } from '@rxlet/agent-api/images';
import type { ContainerConfig, Image } from '@rxlet/cri-api';
import type { Container, EphemeralContainer } from '@rxlet/kube-api';
import { containerFieldPath, podEventObject } from '@rxlet/pod-model';
import { newestContainerStatus, type RuntimeContainerStatus, type RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { buildContainerConfig, withIdMappings } from '../config/build-container-config.ts';
import { containerConfigError } from '../config/config-error.ts';
import { imageUserOf } from '../config/image-user.ts';
import type { Context } from '../context.ts';
import { volumeGroups } from '../mounts/volume-groups.ts';
import { discardTerminationMessage, requireVolumeMounts, terminationMessageMount } from './container-mounts.ts';
import { containerOptions, type ContainerOptionsPorts } from './container-options.ts';
import { runPreCreateSteps, runPreStartSteps } from './container-steps.ts';
import { createContainer, startCreated } from './create-container.ts';
import { recordActuated } from '../resize/record-actuated.ts';
import { ImageStepFailure } from './ensure-image.ts';
import { linkLog } from './link-log.ts';
import { removeUnstarted, type RemoveUnstartedPorts, startableInstance } from './unstarted-containers.ts';
import { nextRestartCount } from './restart-count.ts';
import { type PostStartPorts, runPostStart } from './run-post-start.ts';
import { podUsers, type PodUsersPorts } from '../userns/pod-users.ts';
import { failingAs, type StepFailure } from './step-failure.ts';
import { mayHaveTakenEffect } from './unknown-outcome.ts';
import type { StartContainerRequest } from './start-container-request.ts';

/** Ports of the configuration of a container. */
type ConfigPorts = ContainerOptionsPorts & PodUsersPorts & Pick<Context, 'imageService' | 'hooks'>;

/** Ports of the creation of a container. */
type CreateInstancePorts = ConfigPorts & RemoveUnstartedPorts & Pick<Context, 'actuated' | 'stopping' | 'journal'>;

/** Ports of {@link startContainer}. */
export type StartContainerPorts = CreateInstancePorts & PostStartPorts & Pick<Context, 'containerLogsDirectory'>;

/**
 * Starts one container: image, configuration, creation, start, postStart hook.
 * @throws StepFailure with the reason for the container's status
 */
export async function startContainer(ports: StartContainerPorts, request: StartContainerRequest): Promise<void> {
  const { pod, container, signal } = request;
  const object = podEventObject(pod, containerFieldPath(request.kind, container.name));
  let containerId = '';
  try {
    const instance = await instanceToStart(ports, request);
    ({ containerId } = instance);
    const { restartCount } = instance;
    await inContainerSpan(ports, request, { kind: 'container.start', attributes: { restartCount } }, async () => {
      // An aborted sync reports the new container, and the next sync continues.
      if (signal?.aborted !== true) {
        await failingAs('PreStartHookError', () => runPreStartSteps(ports, pod, container, containerId));
      }
      if (instance.isNew) ports.events.event(object, 'Normal', 'Created', 'Container created');
      await failingAs('RunContainerError', () => startCreated(ports, containerId, signal));
    });
    ports.events.event(object, 'Normal', 'Started', 'Container started');
    await linkLog(ports, request, instance.restartCount, containerId);
  } catch (error) {
    if (signal?.aborted !== true) {
      ports.events.event(object, 'Warning', 'Failed', eventText(error as StepFailure, containerId, container.name));
    }
    throw error;
  }
  if (container.lifecycle?.postStart === undefined) return;
  await inContainerSpan(ports, request, { kind: 'container.post-start' }, () =>
    runPostStart(ports, request, containerId),
  );
}

/** Container instance to start. */
interface Instance {
  readonly containerId: string;
  readonly restartCount: number;
  readonly isNew: boolean;
}

/** Returns the instance to start: an unstarted one, or a new one. */
async function instanceToStart(ports: CreateInstancePorts, request: StartContainerRequest): Promise<Instance> {
  const unstarted = startableInstance(ports, request);
  if (unstarted === undefined) return createInstance(ports, request);
  const started = await failingAs('RunContainerError', () => removeUnstarted(ports, request, unstarted));
  return earlierInstance(started ?? unstarted);
}

/** Returns an instance from before this sync. If a call with unknown outcome has started it, `startCreated` detects that. */
function earlierInstance({ id, restartCount }: RuntimeContainerStatus): Instance {
  return { containerId: id.id, restartCount, isNew: false };
}

async function createInstance(ports: CreateInstancePorts, request: StartContainerRequest): Promise<Instance> {
  const { pod, container, signal } = request;
  const image = await request.image();
  const config = await inContainerSpan(ports, request, { kind: 'container.prepare' }, () =>
    failingAs('CreateContainerConfigError', () => prepareConfig(ports, request, image)),
  );
  let isCreating = false;
  try {
    // Not before the preparation, which fails again and again on a full disk: nothing else in the runtime knows the restart count.
    const started = await failingAs('CreateContainerError', () => removeUnstarted(ports, request));
    if (started !== undefined) {
      await discardTerminationMessage(ports, container, config);
      return earlierInstance(started);
    }
    isCreating = true;
    const containerId = await inContainerSpan(ports, request, { kind: 'container.create' }, async () => {
      await failingAs('CreateContainerConfigError', () => recordActuated(ports, request));
      await failingAs('PreCreateHookError', () => runPreCreateSteps(ports, pod, container, config));
      await failingAs('CreateContainerConfigError', () => requireVolumeMounts(container, config));
      return failingAs('CreateContainerError', () => createContainer(ports, request, config));
    });
    return { containerId, restartCount: config.metadata?.attempt ?? 0, isNew: true };
  } catch (error) {
    // Each attempt creates a file, and the number of retries is unlimited.
    const mayExist = isCreating && (signal?.aborted === true || mayHaveTakenEffect((error as StepFailure).cause));
    if (!mayExist) await discardTerminationMessage(ports, container, config);
    throw error;
  }
}

/** Runs a part of a start in a span of the container. */
function inContainerSpan<T>(
  { journal }: Pick<Context, 'journal'>,
  { pod, container, signal }: StartContainerRequest,
  span: Omit<SpanStart, 'container'>,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return inSpan(journal, pod.metadata, { ...span, container: container.name }, work, signal);
}

/** Returns the event message for a failed start. */
function eventText(failure: StepFailure, containerId: string, containerName: string): string {
  // Ids differ with each attempt and would keep events from being combined.
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
  ports: ConfigPorts,
  request: StartContainerRequest,
  { imageRef, user }: EnsuredImage,
): Promise<ContainerConfig> {
  const { pod, container, status, sandbox, signal } = request;
  rejectUnsupportedHooks(ports, container);
  const targetContainerId = targetOf(container, status);
  const logDirectory = `${sandbox.config.logDirectory}/${container.name}`;
  const restartCount = await nextRestartCount(ports.files, status, container.name, logDirectory);
  const options = await containerOptions(ports, request);
  const users = await podUsers(ports, pod, signal);
  const imageUser = imageUserOf(user ?? (await imageStatus(ports, container, signal)));
  const config = buildContainerConfig({
    pod,
    container,
    restartCount,
    ...options,
    imageRef,
    imageUser,
    users,
    volumeGroups: volumeGroups(pod, ports.volumes),
    targetContainerId,
    settings: ports.settings,
  });
  await ports.files.makeDirectory(logDirectory, 0o755);
  const message = await terminationMessageMount(ports, pod, container);
  if (message !== undefined) config.mounts.push(withIdMappings(message, users));
  return config;
}

async function imageStatus(
  { imageService }: Pick<Context, 'imageService'>,
  { image = '' }: Container | EphemeralContainer,
  signal: AbortSignal | undefined,
): Promise<Image | undefined> {
  return (await imageService.imageStatus({ image: { image } }, { signal })).image;
}

/** Rejects a container with lifecycle hooks if no hook runner is present. @throws ConfigError */
function rejectUnsupportedHooks(
  { hooks }: Pick<Context, 'hooks'>,
  { name, lifecycle }: Container | EphemeralContainer,
): void {
  if (hooks !== undefined || (lifecycle?.postStart === undefined && lifecycle?.preStop === undefined)) return;
  throw containerConfigError(`container ${name} has lifecycle hooks, and this agent runs no lifecycle hooks`);
}

/** Returns the id of the container whose process namespace an ephemeral container joins. @throws ConfigError when it does not exist */
function targetOf(container: Container | EphemeralContainer, status: RuntimePodStatus): string | undefined {
  const name = 'targetContainerName' in container ? container.targetContainerName : undefined;
  if (name === undefined || name === '') return undefined;
  const target = newestContainerStatus(status, name);
  if (target === undefined) throw containerConfigError(`unable to find target container ${name}`);
  return target.id.id;
}
