import { create } from '@bufbuild/protobuf';
import {
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
import { inBatches } from './batches.ts';
import type { ImageHandlers } from './port.ts';

/** Where the made-up file system of the images is mounted. */
const IMAGE_FS_MOUNTPOINT = '/var/lib/fake-runtime';

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
    /** An image that is not present is no error: the response has none. */
    imageStatus({ image: spec, verbose }) {
      const image = images.find(referenceOf(spec));
      if (image === undefined) return create(ImageStatusResponseSchema);
      return create(ImageStatusResponseSchema, {
        image: image.message,
        info: verbose ? { info: verboseInfo(image) } : {},
      });
    },
    pullImage({ image }) {
      return create(PullImageResponseSchema, { imageRef: images.pull(referenceOf(image)).id });
    },
    removeImage({ image }) {
      images.remove(referenceOf(image));
      return create(RemoveImageResponseSchema);
    },
    imageFsInfo() {
      const present = [...images.values()];
      const usage = {
        timestamp: state.timestamps(),
        fsId: { mountpoint: IMAGE_FS_MOUNTPOINT },
        usedBytes: { value: present.reduce((sum, image) => sum + image.message.size, 0n) },
        inodesUsed: { value: BigInt(present.length) },
      };
      return create(ImageFsInfoResponseSchema, { imageFilesystems: [usage], containerFilesystems: [usage] });
    },
  };
}

function referenceOf(spec: ImageSpec | undefined): string {
  if (spec === undefined || spec.image === '')
    throw new ServiceError(StatusCode.InvalidArgument, 'the image is not given');
  return spec.image;
}

function verboseInfo({ entrypoint, cmd, env }: Image): string {
  return JSON.stringify({ imageSpec: { config: { Entrypoint: entrypoint, Cmd: cmd, Env: env } } });
}
