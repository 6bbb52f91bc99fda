import type { Clock } from '@rxlet/component-base';
import type { CacheKeyType } from './provider-response.ts';

/** Cached answers of one credential provider. */
export interface ProviderCache<T> {
  /** Returns the answer for the image, else for its registry, else for all images. Answers are not shared between owners. */
  find(owner: string, image: string): T | undefined;
  /** Caches an answer for `durationMs`; not at all if that is `0` or less. */
  keep(owner: string, image: string, type: CacheKeyType, value: T, durationMs: number): void;
  readonly size: number;
}

/** Interval at which expired answers are removed. */
const PURGE_PERIOD_MS = 900_000;
/** Maximum number of answers; beyond it the oldest one is removed. */
export const MAX_CACHED_ANSWERS = 1000;

/** Creates a {@link ProviderCache}. It has no timer: expired answers are removed when it is used. */
export function createProviderCache<T>(clock: Clock): ProviderCache<T> {
  const answers = new Map<string, { readonly value: T; readonly untilMs: number }>();
  let purgedMs = clock.monotonicNow();

  const purge = (): void => {
    const nowMs = clock.monotonicNow();
    if (nowMs - purgedMs < PURGE_PERIOD_MS) return;
    purgedMs = nowMs;
    for (const [key, { untilMs }] of answers) if (untilMs <= nowMs) answers.delete(key);
  };
  return {
    find(owner, image) {
      purge();
      for (const type of ['Image', 'Registry', 'Global'] as const) {
        const key = keyOf(owner, image, type);
        const answer = answers.get(key);
        if (answer === undefined) continue;
        if (clock.monotonicNow() < answer.untilMs) return answer.value;
        answers.delete(key);
      }
      return undefined;
    },
    keep(owner, image, type, value, durationMs) {
      purge();
      if (!(durationMs > 0)) return;
      const key = keyOf(owner, image, type);
      answers.delete(key);
      answers.set(key, { value, untilMs: clock.monotonicNow() + durationMs });
      if (answers.size > MAX_CACHED_ANSWERS) answers.delete(answers.keys().next().value!);
    },
    get size() {
      return answers.size;
    },
  };
}

function keyOf(owner: string, image: string, type: CacheKeyType): string {
  const scope = { Image: image, Registry: image.split('/', 1)[0]!, Global: '' }[type];
  return JSON.stringify([owner, type, scope]);
}
