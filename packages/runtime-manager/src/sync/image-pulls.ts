import type { Container, EphemeralContainer } from '@rxlet/kube-api';
import { containerFieldPath, type ContainerKind } from '@rxlet/pod-model';
import type { EnsuredImage } from '../ports.ts';
import type { SandboxHandle } from './create-sandbox.ts';
import { ensureImage } from './ensure-image.ts';
import { startableInstance } from './never-started.ts';
import type { SyncRun } from './sync-run.ts';

/** A container that a sync is going to start. */
export interface PlannedStart {
  readonly kind: ContainerKind;
  readonly container: Container | EphemeralContainer;
}

/** The images of one sync. */
export interface ImagePulls extends AsyncDisposable {
  /** Makes the image of a container present. @throws StepFailure */
  imageFor(planned: PlannedStart): Promise<EnsuredImage>;
}

/**
 * Begins to pull for all containers that are certain to be started, so that one starts while the next one's image is still on its way; containers are started in
 * their order all the same. A container that uses an image of one before it asks when it is its turn, as the first answer decides on the next: present, or back-off.
 * Disposing waits for what is still under way.
 */
export function beginImagePulls(run: SyncRun, sandbox: SandboxHandle, certain: readonly PlannedStart[]): ImagePulls {
  const { context, pod, status } = run;
  const pull = ({ kind, container }: PlannedStart): Promise<EnsuredImage> =>
    ensureImage(context, run, sandbox, {
      image: container.image ?? '',
      pullPolicy: container.imagePullPolicy ?? '',
      container: container.name,
      fieldPath: containerFieldPath(kind, container.name),
    });

  const images = new Set<string>();
  const begun = new Map<Container | EphemeralContainer, Promise<EnsuredImage>>();
  for (const planned of certain) {
    const { container } = planned;
    const image = container.image ?? '';
    if (images.has(image)) continue;
    images.add(image);
    if (context.backoff.wait(pod, container, status) !== undefined) continue;
    if (startableInstance(context, { container, status, sandbox }) !== undefined) continue;
    const pulling = pull(planned);
    // Told when it is the container's turn.
    pulling.catch(() => undefined);
    begun.set(container, pulling);
  }
  return {
    imageFor: (planned) => begun.get(planned.container) ?? pull(planned),
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(begun.values());
    },
  };
}
