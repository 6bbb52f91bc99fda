import { type Container, isNotFound, type RuntimeService } from '@rxlet/cri-api';
import { canonicalImageName } from '../canonical-image-name.ts';

/** Runs a call of the runtime with a timeout. */
export type BoundedCall = <T>(call: (options: { signal: AbortSignal; timeoutMs: number }) => Promise<T>) => Promise<T>;

/** Finds the images that containers use, running or not. */
export interface ImagesInUse {
  /** Returns the names by which containers refer to their images and to images mounted into them. Rejects when the runtime fails a call. */
  find(bounded: BoundedCall): Promise<ReadonlySet<string>>;
}

/** Maximum number of concurrent status requests. */
const CONCURRENCY = 8;

/** Creates {@link ImagesInUse}. Reads the images mounted into a container once, because its mounts do not change. */
export function createImagesInUse(runtime: Pick<RuntimeService, 'listContainers' | 'containerStatus'>): ImagesInUse {
  let volumesByContainer: ReadonlyMap<string, readonly string[]> = new Map();

  const volumeImages = async (containerId: string, bounded: BoundedCall): Promise<readonly string[]> => {
    try {
      const { status } = await bounded((options) => runtime.containerStatus({ containerId }, options));
      return (status?.mounts ?? []).map(({ image }) => image?.image ?? '');
    } catch (error) {
      // It was removed meanwhile.
      if (isNotFound(error)) return [];
      throw error;
    }
  };

  return {
    async find(bounded) {
      const { containers } = await bounded((options) => runtime.listContainers({}, options));
      const volumes = new Map<string, readonly string[]>();
      const unknown: string[] = [];
      for (const { id } of containers) {
        const known = volumesByContainer.get(id);
        if (known === undefined) unknown.push(id);
        else volumes.set(id, known);
      }
      const readUnknown = async (): Promise<void> => {
        for (let id = unknown.pop(); id !== undefined; id = unknown.pop()) {
          volumes.set(id, await volumeImages(id, bounded));
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, readUnknown));
      volumesByContainer = volumes;
      const names = [...containers.flatMap(namesOf), ...Array.from(volumes.values()).flat()];
      return new Set(names.filter((name) => name !== '').flatMap((name) => [name, canonicalImageName(name)]));
    },
  };
}

/** A tag may have moved to another image since the container was created, so it is only a fallback. */
function namesOf({ imageId, imageRef, image }: Container): string[] {
  return imageId === '' && imageRef === '' ? [image?.image ?? ''] : [imageId, imageRef];
}
