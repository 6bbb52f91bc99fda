import type { EnsuredImage } from '@rxlet/agent-api/images';
import type { Container, EphemeralContainer } from '@rxlet/kube-api';
import { containerFieldPath, type ContainerKind } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import type { SandboxHandle } from './create-sandbox.ts';
import { ensureImage, type EnsureImagePorts } from './ensure-image.ts';
import { startableInstance } from './unstarted-containers.ts';
import type { SyncRun } from './sync-run.ts';

/** Container that a sync is going to start. */
export interface PlannedStart {
  readonly kind: ContainerKind;
  readonly container: Container | EphemeralContainer;
}

/** Image pulls of one sync. */
export interface ImagePulls extends AsyncDisposable {
  /** Makes the image of a container present. @throws StepFailure */
  imageFor(planned: PlannedStart): Promise<EnsuredImage>;
}

/** Ports of {@link beginImagePulls}. */
export type ImagePullPorts = EnsureImagePorts & Pick<Context, 'backoff' | 'clock'>;

/**
 * Begins to pull images for all containers that are certain to be started, one at a time, so that a container starts while the next image is pulled. A pod with
 * many images therefore does not block the pulls of other pods or exhaust the pull quota. A container with the same image as an earlier one requests it at its
 * own turn, when the result of the first pull is known. Disposal waits for the pull in flight and begins no other.
 */
export function beginImagePulls(
  run: SyncRun<ImagePullPorts>,
  sandbox: SandboxHandle,
  certain: readonly PlannedStart[],
): ImagePulls {
  const { ports, pod, status } = run;
  let isStopped = false;
  const pull = ({ kind, container }: PlannedStart): Promise<EnsuredImage> =>
    ensureImage(ports, run, sandbox, {
      image: container.image ?? '',
      pullPolicy: container.imagePullPolicy ?? '',
      container: container.name,
      fieldPath: containerFieldPath(kind, container.name),
    });

  const images = new Set<string>();
  const begun = new Map<Container | EphemeralContainer, Promise<EnsuredImage>>();
  let previous: Promise<unknown> = Promise.resolve();
  for (const planned of certain) {
    const { container } = planned;
    const image = container.image ?? '';
    if (images.has(image)) continue;
    images.add(image);
    if (ports.backoff.wait(pod, container, status) !== undefined) continue;
    if (startableInstance(ports, { container, status, sandbox }) !== undefined) continue;
    const pulling = previous.then(() => {
      if (isStopped) throw new Error('cannot pull an image for a sync that has ended');
      return pull(planned);
    });
    // The failure is reported at the container's turn.
    previous = pulling.catch(() => undefined);
    begun.set(container, pulling);
  }
  return {
    imageFor: (planned) => begun.get(planned.container) ?? pull(planned),
    async [Symbol.asyncDispose]() {
      isStopped = true;
      await previous;
    },
  };
}
