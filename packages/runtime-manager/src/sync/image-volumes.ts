import { create } from '@bufbuild/protobuf';
import { type ImageSpec, ImageSpecSchema, type Mount, MountSchema } from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import type { SandboxHandle } from './create-sandbox.ts';
import { ensureImage } from './ensure-image.ts';
import { StepFailure } from './step-failure.ts';
import type { SyncRun } from './sync-run.ts';

/** The volumes of a pod that consist of an image, by their names: the image as the runtime is to be told it, or why it is not there. */
export type ImageVolumes = ReadonlyMap<string, ImageSpec | StepFailure>;

/** Makes the images of a pod's volumes present. One that cannot be had concerns only the containers that mount it. */
export async function ensureImageVolumes(run: SyncRun, sandbox: SandboxHandle): Promise<ImageVolumes> {
  const volumes = new Map<string, ImageSpec | StepFailure>();
  for (const { name, image } of run.pod.spec!.volumes ?? []) {
    if (image === undefined) continue;
    const { reference = '', pullPolicy = '' } = image;
    try {
      const wanted = { image: reference, pullPolicy, container: '', fieldPath: '' };
      const { imageRef } = await ensureImage(run.context, run, sandbox, wanted);
      volumes.set(name, create(ImageSpecSchema, { image: imageRef, userSpecifiedImage: reference }));
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error;
      volumes.set(name, error);
    }
  }
  return volumes;
}

/** Why images that a container mounts are not there, in the order of its mounts. */
export function imageVolumeFailures(container: Container | EphemeralContainer, volumes: ImageVolumes): StepFailure[] {
  return (container.volumeMounts ?? [])
    .map(({ name }) => volumes.get(name))
    .filter((volume) => volume instanceof StepFailure);
}

/** What of a container's mounts are images; the runtime mounts them, always read-only. */
export function imageVolumeMounts(container: Container | EphemeralContainer, volumes: ImageVolumes): Mount[] {
  return (container.volumeMounts ?? []).flatMap(({ name, mountPath, subPath = '' }) => {
    const image = volumes.get(name);
    if (image === undefined || image instanceof StepFailure) return [];
    const containerPath = mountPath.startsWith('/') ? mountPath : `/${mountPath}`;
    return [create(MountSchema, { containerPath, image, imageSubPath: subPath, readonly: true })];
  });
}

/** Names of the volumes of a pod that consist of an image. */
export function imageVolumeNames(pod: Pod): ReadonlySet<string> {
  return new Set((pod.spec!.volumes ?? []).filter(({ image }) => image !== undefined).map(({ name }) => name));
}
