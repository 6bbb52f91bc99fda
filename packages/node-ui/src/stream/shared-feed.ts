import type { Clock, Timer } from '@rxlet/component-base';
import type { LiveFeed } from './live-feed.ts';

/** Time for which the feed of the last reader stays, so that one that was cut off goes on where it was. */
const LINGER_MS = 60_000;

/** One feed for all readers. It exists while there is a reader: a closed page costs nothing. */
export interface SharedFeed extends Disposable {
  /** Returns the feed. The caller disposes of the lease when it has read enough. */
  lease(): Disposable & { readonly feed: LiveFeed };
}

/** Creates a {@link SharedFeed} that calls `open` for the first reader. */
export function createSharedFeed(clock: Clock, open: () => LiveFeed): SharedFeed {
  let feed: LiveFeed | undefined;
  let readers = 0;
  let linger: Timer | undefined;
  const close = (): void => {
    linger?.[Symbol.dispose]();
    linger = undefined;
    feed?.[Symbol.dispose]();
    feed = undefined;
  };
  return {
    lease() {
      linger?.[Symbol.dispose]();
      linger = undefined;
      const leased = (feed ??= open());
      readers += 1;
      let isReturned = false;
      return {
        feed: leased,
        [Symbol.dispose]() {
          if (isReturned) return;
          isReturned = true;
          readers -= 1;
          if (readers === 0 && feed === leased) linger = clock.setTimer(LINGER_MS, close);
        },
      };
    },
    [Symbol.dispose]: close,
  };
}
