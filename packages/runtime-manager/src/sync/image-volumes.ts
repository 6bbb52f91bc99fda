import { create } from '@bufbuild/protobuf';
import type { MountedVolume } from '@rxlet/agent-api/volumes';
import { type ImageSpec, ImageSpecSchema } from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import type { SandboxHandle } from './create-sandbox.ts';
import { ensureImage, type EnsureImagePorts } from './ensure-image.ts';
import type { SyncResult } from './sync-result.ts';
import { StepFailure } from './step-failure.ts';
import type { SyncRun } from './sync-run.ts';

/** Image volumes of a pod by name: the image to pass to the runtime, or the reason for its absence. */
export type ImageVolumes = ReadonlyMap<string, ImageSpec | StepFailure>;

/** Makes the images of a pod's volumes present. A missing image affects only the containers that mount it. */
export async function ensureImageVolumes(
  run: SyncRun<EnsureImagePorts>,
  sandbox: SandboxHandle,
): Promise<ImageVolumes> {
  const volumes = new Map<string, ImageSpec | StepFailure>();
  // One copy for all: a pod may have thousands of volumes, and as many annotations.
  const annotations = { ...run.pod.metadata?.annotations };
  for (const { name, image } of run.pod.spec!.volumes ?? []) {
    if (image === undefined) continue;
    const { reference = '', pullPolicy = '' } = image;
    try {
      const volumeImage = { image: reference, pullPolicy, container: '', fieldPath: '' };
      const { imageRef } = await ensureImage(run.ports, run, sandbox, volumeImage);
      const runtimeHandler = await run.ports.runtimeHandler(run.pod);
      const spec = { image: imageRef, userSpecifiedImage: reference, annotations, runtimeHandler };
      volumes.set(name, create(ImageSpecSchema, spec));
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error;
      volumes.set(name, error);
    }
  }
  return volumes;
}

/** Returns the failures of the image volumes that a container mounts, in the order of its mounts. */
export function imageVolumeFailures(container: Container | EphemeralContainer, volumes: ImageVolumes): StepFailure[] {
  return (container.volumeMounts ?? [])
    .map(({ name }) => volumes.get(name))
    .filter((volume) => volume instanceof StepFailure);
}

/** Returns the number of a container's mounts of image volumes. */
export function imageVolumeMounts(container: Container | EphemeralContainer, volumes: ImageVolumes): number {
  return (container.volumeMounts ?? []).filter(({ name }) => volumes.has(name)).length;
}

/** Start of the runtime's error for an image volume that it cannot mount (CRI). */
const MOUNT_FAILED = 'ImageVolumeMountFailed';

/** Reports whether a container was not created because the runtime could not mount one of its image volumes. */
export function isImageMountFailure({ reason, message = '' }: Pick<SyncResult, 'reason' | 'message'>): boolean {
  return reason === 'CreateContainerError' && message.startsWith(MOUNT_FAILED);
}

/** Returns the images by volume, as far as they are present; `undefined` for a pod without image volumes. */
export function imagesOf(volumes: ImageVolumes): ReadonlyMap<string, ImageSpec> | undefined {
  if (volumes.size === 0) return undefined;
  return new Map([...volumes].filter((entry): entry is [string, ImageSpec] => !(entry[1] instanceof StepFailure)));
}

/** Returns the image volumes of a pod like mounted ones. The runtime mounts them, always read-only. */
export function imageVolumesAsMounted(pod: Pod): ReadonlyMap<string, MountedVolume> {
  const volumes = (pod.spec!.volumes ?? []).filter(({ image }) => image !== undefined);
  const attributes = { hostPath: '', readOnly: true, managed: true, seLinuxRelabel: true, seLinuxLabeled: false };
  return new Map(volumes.map(({ name }) => [name, { ...attributes, innerVolumeSpecName: name }]));
}
