import { create } from '@bufbuild/protobuf';
import { nowNanos } from '@rxlet/component-base';
import {
  type Image,
  type ImageFilter,
  ImageFsInfoResponseSchema,
  type ImageServiceDescriptor,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import type { Backend } from '../backend.ts';
import type { DockerImage } from '../engine/docker-types.ts';
import { inBatches } from '../rpc/batches.ts';
import type { Handlers } from '../rpc/port.ts';
import { criImage, isReferenceTo } from './images.ts';
import { pullImage } from './pull-image.ts';

interface DiskUsage {
  /** Absent without images, from Docker 29 on. */
  readonly LayersSize?: number;
}

/** Handlers of the image service. */
export function imageHandlers(backend: Backend): Handlers<typeof ImageServiceDescriptor> {
  const { engine, images, facts, host, clock, sandboxImage } = backend;
  // No container shows the use of the sandbox image, so without this mark callers would remove it as unused.
  const reported = (image: DockerImage): Image => criImage(image, isReferenceTo(image, sandboxImage));
  const list = async (filter: ImageFilter | undefined, signal: AbortSignal): Promise<Image[]> => {
    const wanted = filter?.image?.image ?? '';
    if (wanted === '') return (await images.list(signal)).map(reported);
    const image = await images.find(wanted, signal);
    return image === undefined ? [] : [reported(image)];
  };
  const named = (image: { readonly image: string } | undefined): string => {
    if (image === undefined || image.image === '')
      throw new ServiceError(StatusCode.InvalidArgument, 'no image is named');
    return image.image;
  };
  return {
    listImages: async ({ filter }, signal) => ({ images: await list(filter, signal) }),
    async *streamImages({ filter }, signal) {
      for (const batch of inBatches(await list(filter, signal))) yield { images: batch };
    },
    async imageStatus({ image, verbose }, signal) {
      const found = await images.find(named(image), signal);
      const info: Record<string, string> = verbose && found !== undefined ? { info: JSON.stringify(found) } : {};
      return { ...(found !== undefined && { image: reported(found) }), info };
    },
    async pullImage({ image, auth }, signal) {
      const reference = named(image);
      await pullImage(engine, reference, auth, backend, signal);
      const pulled = await images.find(reference, signal);
      if (pulled === undefined) {
        throw new ServiceError(StatusCode.NotFound, `image ${JSON.stringify(reference)} is absent after its pull`);
      }
      return { imageRef: pulled.Id };
    },
    async removeImage({ image }, signal) {
      await images.remove(named(image), signal);
      return {};
    },
    async imageFsInfo(_request, signal) {
      const { DockerRootDir } = await facts.get(signal);
      const { LayersSize = 0 } = await engine.json<DiskUsage>('GET', '/system/df', { signal });
      const usage = {
        timestamp: nowNanos(clock),
        fsId: { mountpoint: DockerRootDir },
        usedBytes: { value: BigInt(LayersSize) },
        inodesUsed: { value: await host.usedInodes(DockerRootDir) },
      };
      return create(ImageFsInfoResponseSchema, { imageFilesystems: [usage], containerFilesystems: [usage] });
    },
  };
}
