import { errorMessage } from '@rxlet/component-base';
import type { ContainerConfig } from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import {
  containerFieldPath,
  type ContainerKind,
  newestContainerStatus,
  podEventObject,
  type RuntimePodStatus,
} from '@rxlet/pod-model';
import { buildContainerConfig } from '../config/build-container-config.ts';
import { containerConfigError } from '../config/config-error.ts';
import { imageUserOf } from '../config/image-user.ts';
import type { Context } from '../context.ts';
import type { ImageFailure } from '../ports.ts';
import { prepareOwnMounts } from './container-mounts.ts';
import { createContainer, startCreated } from './create-container.ts';
import type { SandboxHandle } from './create-sandbox.ts';
import { linkLog } from './link-log.ts';
import { nextRestartCount } from './restart-count.ts';
import { runPostStart } from './run-post-start.ts';
import { failingAs, StepFailure } from './step-failure.ts';

/** A container to start. */
export interface StartContainerRequest {
  readonly pod: Pod;
  readonly kind: ContainerKind;
  readonly container: Container | EphemeralContainer;
  /** What the runtime held of the pod when the sync began. */
  readonly status: RuntimePodStatus;
  readonly sandbox: SandboxHandle;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Brings one container up: image, configuration, creation, start, postStart hook.
 * @throws StepFailure with the reason that its owner is shown.
 */
export async function startContainer(context: Context, request: StartContainerRequest): Promise<void> {
  const { container, signal } = request;
  const object = podEventObject(request.pod, containerFieldPath(request.kind, container.name));
  let containerId = '';
  try {
    const imageRef = await ensureImage(context, request, object.fieldPath ?? '');
    const config = await failingAs('CreateContainerConfigError', () => prepareConfig(context, request, imageRef));
    containerId = await failingAs('CreateContainerError', () => createContainer(context, request, config));
    context.events.event(object, 'Normal', 'Created', 'Container created');
    await failingAs('RunContainerError', () => startCreated(context, containerId, signal));
    context.events.event(object, 'Normal', 'Started', 'Container started');
    await linkLog(context, request, config.metadata?.attempt ?? 0, containerId);
  } catch (error) {
    context.events.event(object, 'Warning', 'Failed', `Error: ${eventText(error, containerId, container.name)}`);
    throw error;
  }
  await runPostStart(context, request, containerId);
}

/** What the owner of a pod reads about a failed start. */
function eventText(error: unknown, containerId: string, containerName: string): string {
  // The image manager has told the details already.
  if (error instanceof ImageStepFailure) return error.reason;
  // Ids differ each time, and would make every event a new one.
  return containerId === '' ? errorMessage(error) : errorMessage(error).replaceAll(containerId, containerName);
}

/** There is no image to start from. */
class ImageStepFailure extends StepFailure {}

async function ensureImage(
  context: Context,
  { pod, container, sandbox, signal }: StartContainerRequest,
  fieldPath: string,
): Promise<string> {
  try {
    const { imageRef } = await context.images.ensureImageExists({
      pod,
      container: container.name,
      fieldPath,
      image: container.image ?? '',
      pullPolicy: container.imagePullPolicy ?? '',
      sandboxConfig: sandbox.config,
      signal,
    });
    return imageRef;
  } catch (error) {
    const { reason = 'ErrImagePull', backoffUntilMs } = error as Partial<ImageFailure>;
    throw new ImageStepFailure(reason, errorMessage(error), { cause: error, backoffUntilMs });
  }
}

async function prepareConfig(
  context: Context,
  { pod, container, status, sandbox, signal }: StartContainerRequest,
  imageRef: string,
): Promise<ContainerConfig> {
  refuseHooksWithoutPort(context, container);
  const targetContainerId = targetOf(container, status);
  const logDirectory = `${sandbox.config.logDirectory}/${container.name}`;
  const restartCount = await nextRestartCount(context.files, status, container.name, logDirectory);
  const { image } = await context.imageService.imageStatus({ image: { image: container.image ?? '' } }, { signal });
  await context.files.makeDirectory(logDirectory, 0o755);
  return buildContainerConfig({
    pod,
    container,
    restartCount,
    podIps: sandbox.ips,
    imageRef,
    imageUser: imageUserOf(image),
    mounts: await prepareOwnMounts(context, pod, container, sandbox.ips),
    targetContainerId,
    settings: context.settings,
  });
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
