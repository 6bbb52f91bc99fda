import { type Clock, withDeadline } from '@rxlet/component-base';
import { canonicalImageName } from './canonical-image-name.ts';

/**
 * Protects images that are about to be used from removal. From the request for an image until the container exists, nothing in the runtime shows that the image is
 * needed. Shared by an image manager and a garbage collector.
 */
export interface ImageHolds {
  /**
   * Protects an image from removal. First waits for a pending removal of it, so that an image that is found afterwards stays. Rejects with the signal's reason when
   * it aborts. A hold that is disposed of ends after the linger time.
   */
  hold(image: string, signal?: AbortSignal): Promise<Disposable>;
  /**
   * Removes the image of these names, unless one of them is held. New holds wait until `remove` has settled.
   * @returns whether `remove` was called
   */
  removeUnlessHeld(names: readonly string[], remove: () => Promise<void>): Promise<boolean>;
}

/** Options of {@link createImageHolds}. */
export interface ImageHoldsOptions {
  /** Time for which an image stays held after its hold was disposed of. It should exceed the time of creating a container. Default: 2 min. */
  readonly lingerMs?: number;
}

interface Hold {
  holders: number;
  /** On the monotonic clock; counts when there are no holders. */
  endsMs: number;
}

/** Creates {@link ImageHolds}. It keeps one entry for each image that was requested within the linger time. */
export function createImageHolds(clock: Clock, { lingerMs = 120_000 }: ImageHoldsOptions = {}): ImageHolds {
  const holds = new Map<string, Hold>();
  const removals = new Map<string, Promise<unknown>>();
  const isHeld = ({ holders, endsMs }: Hold): boolean => holders > 0 || clock.monotonicNow() < endsMs;
  const forgetEnded = (): void => {
    for (const [key, hold] of holds) if (!isHeld(hold)) holds.delete(key);
  };
  return {
    async hold(image, signal) {
      forgetEnded();
      const key = canonicalImageName(image);
      const hold = holds.get(key) ?? { holders: 0, endsMs: 0 };
      holds.set(key, hold);
      hold.holders += 1;
      const release = (): void => {
        hold.holders -= 1;
        hold.endsMs = clock.monotonicNow() + lingerMs;
      };
      try {
        for (let removal = removals.get(key); removal !== undefined; removal = removals.get(key)) {
          const settled = removal;
          await withDeadline(clock, Infinity, signal, () => settled);
        }
      } catch (error) {
        release();
        throw error;
      }
      return { [Symbol.dispose]: release };
    },
    async removeUnlessHeld(names, remove) {
      const keys = [...new Set(names.map(canonicalImageName))];
      const held = keys.some((key) => removals.has(key) || (holds.has(key) && isHeld(holds.get(key)!)));
      if (held) return false;
      const removal = remove();
      const settled = removal.then(
        () => undefined,
        () => undefined,
      );
      const known = settled.then(() => {
        for (const key of keys) removals.delete(key);
      });
      for (const key of keys) removals.set(key, known);
      await removal;
      return true;
    },
  };
}
