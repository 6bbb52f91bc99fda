import { type Mount, ServiceError, StatusCode } from '@rxlet/cri-api';
import { resolvePath } from '../fs/file-system.ts';
import type { Image } from '../image.ts';
import type { ImageStore } from '../image-store.ts';
import { filesOfImage } from './image-files.ts';

/**
 * Returns mounts in which those of images have the id of their image as `imageRef`. Throws NotFound for an image that is not present, and InvalidArgument for a directory
 * that an image with described files does not have.
 */
export function resolveImageVolumes(images: Pick<ImageStore, 'find'>, mounts: readonly Mount[]): Mount[] {
  return mounts.map((mount) => {
    if (mount.image === undefined || mount.image.image === '') return mount;
    const image = images.find(mount.image.image);
    if (image === undefined)
      throw new ServiceError(
        StatusCode.NotFound,
        `image "${mount.image.image}" of mount "${mount.containerPath}" not found`,
      );
    const isDescribed = Object.keys(image.files).length > 0;
    if (isDescribed && partOfImage(image, mount.imageSubPath) === undefined) {
      throw new ServiceError(
        StatusCode.InvalidArgument,
        `mount "${mount.containerPath}": image "${mount.image.image}" has no directory "${mount.imageSubPath}"`,
      );
    }
    return { ...mount, image: { ...mount.image, imageRef: image.id } };
  });
}

/** Returns the files of a mounted image, by path below the mount; `undefined` when nothing is mounted. */
export function imageVolumeFiles(
  images: Pick<ImageStore, 'find'>,
  { image, imageSubPath }: Pick<Mount, 'image' | 'imageSubPath'>,
): Record<string, string> | undefined {
  if (image === undefined || image.image === '') return undefined;
  const found = images.find(image.imageRef || image.image);
  return found === undefined ? {} : (partOfImage(found, imageSubPath) ?? {});
}

function partOfImage(image: Image, subPath: string): Record<string, string> | undefined {
  const files = filesOfImage(image);
  const directory = resolvePath('/', subPath);
  if (directory === '/') return files;
  const inside = Object.entries(files).filter(([path]) => path.startsWith(`${directory}/`));
  return inside.length === 0
    ? undefined
    : Object.fromEntries(inside.map(([path, text]) => [path.slice(directory.length), text]));
}
