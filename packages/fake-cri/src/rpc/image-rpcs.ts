import { create } from '@bufbuild/protobuf';
import {
  type FilesystemUsage,
  FilesystemUsageSchema,
  type Image as ImageMessage,
  ImageFsInfoResponseSchema,
  type ImageSpec,
  ImageStatusResponseSchema,
  ListImagesResponseSchema,
  PullImageResponseSchema,
  RemoveImageResponseSchema,
  ServiceError,
  StatusCode,
  StreamImagesResponseSchema,
} from '@rxlet/cri-api';
import type { Image } from '../image.ts';
import type { RuntimeState } from '../runtime-state.ts';
import { FS_MOUNTPOINT, writableLayer } from '../stats/writable-layer.ts';
import { inBatches } from './batches.ts';
import type { ImageHandlers } from './port.ts';

/** All RPCs of the image service. */
export function imageRpcs(state: RuntimeState): ImageHandlers {
  const { images } = state;
  const list = (filtered: ImageSpec | undefined): ImageMessage[] => {
    if (filtered === undefined || filtered.image === '') return Array.from(images.values(), (image) => image.message);
    const image = images.find(filtered.image);
    return image === undefined ? [] : [image.message];
  };

  return {
    listImages({ filter }) {
      return create(ListImagesResponseSchema, { images: list(filter?.image) });
    },
    streamImages({ filter }) {
      return inBatches(list(filter?.image), (batch) => create(StreamImagesResponseSchema, { images: batch }));
    },
    /** An absent image is not an error: the response has no image. */
    imageStatus({ image: spec, verbose }) {
      const image = images.find(referenceOf(spec));
      if (image === undefined) return create(ImageStatusResponseSchema);
      return create(ImageStatusResponseSchema, {
        image: image.message,
        info: verbose ? { info: verboseInfo(image) } : {},
      });
    },
    async pullImage({ image, auth }, call) {
      return create(PullImageResponseSchema, { imageRef: (await images.pull(referenceOf(image), auth, call)).id });
    },
    removeImage({ image }) {
      images.remove(referenceOf(image));
      return create(RemoveImageResponseSchema);
    },
    imageFsInfo() {
      const { bytes, inodes } = images.usage();
      const usage = {
        timestamp: state.timestamps(),
        fsId: { mountpoint: FS_MOUNTPOINT },
        usedBytes: { value: bytes },
        inodesUsed: { value: inodes },
      };
      return create(ImageFsInfoResponseSchema, {
        imageFilesystems: [usage],
        containerFilesystems: [containerFilesystem(state, usage.timestamp)],
      });
    },
  };
}

/** Returns the usage of the writable layers of all containers. */
function containerFilesystem(state: RuntimeState, timestamp: bigint): FilesystemUsage {
  const layers = Array.from(state.containers.values(), (container) => writableLayer(container, timestamp));
  const sum = (value: (layer: FilesystemUsage) => bigint): bigint =>
    layers.reduce((total, layer) => total + value(layer), 0n);
  return create(FilesystemUsageSchema, {
    timestamp,
    fsId: { mountpoint: FS_MOUNTPOINT },
    usedBytes: { value: sum(({ usedBytes }) => usedBytes!.value) },
    inodesUsed: { value: sum(({ inodesUsed }) => inodesUsed!.value) },
  });
}

function referenceOf(spec: ImageSpec | undefined): string {
  if (spec === undefined || spec.image === '')
    throw new ServiceError(StatusCode.InvalidArgument, 'the image is not given');
  return spec.image;
}

function verboseInfo({ entrypoint, cmd, env }: Image): string {
  return JSON.stringify({ imageSpec: { config: { Entrypoint: entrypoint, Cmd: cmd, Env: env } } });
}
