import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createProviderCache, MAX_CACHED_ANSWERS } from './provider-cache.ts';

describe('a cache of answers', () => {
  it('finds what was kept for the image, else for its registry, else for all', () => {
    const cache = createProviderCache<string>(createVirtualClock());
    cache.keep('', 'r.io/a', 'Global', 'all', 1000);
    expect(cache.find('', 'x.io/a')).toBe('all');
    cache.keep('', 'r.io/a', 'Registry', 'registry', 1000);
    expect([cache.find('', 'r.io/b/c'), cache.find('', 'r.io:1/b')]).toEqual(['registry', 'all']);
    cache.keep('', 'r.io/a', 'Image', 'image', 1000);
    expect([cache.find('', 'r.io/a'), cache.find('', 'r.io/a/b')]).toEqual(['image', 'registry']);
    expect(cache.find('another owner', 'r.io/a')).toBeUndefined();
  });

  it('keeps an answer as long as it holds, whatever the wall clock says', async () => {
    const clock = createVirtualClock();
    const cache = createProviderCache<string>(clock);
    cache.keep('', 'r.io/a', 'Image', 'image', 1000);
    cache.keep('', 'r.io/a', 'Registry', 'registry', 2000);
    cache.keep('', 'r.io/a', 'Global', 'never', 0);
    await clock.advance(999);
    clock.setWallClock(0);
    expect(cache.find('', 'r.io/a')).toBe('image');
    await clock.advance(1);
    expect(cache.find('', 'r.io/a')).toBe('registry');
    await clock.advance(1000);
    expect(cache.find('', 'r.io/a')).toBeUndefined();
  });

  it('throws away what holds no longer every 15 min, and the oldest when there are too many', async () => {
    const clock = createVirtualClock();
    const cache = createProviderCache<number>(clock);
    for (let i = 0; i <= MAX_CACHED_ANSWERS; i += 1) cache.keep('', `r.io/${String(i)}`, 'Image', i, 1000);
    expect(cache.size).toBe(MAX_CACHED_ANSWERS);
    expect([cache.find('', 'r.io/0'), cache.find('', 'r.io/1')]).toEqual([undefined, 1]);
    await clock.advance(899_999);
    cache.find('', 'x');
    expect(cache.size).toBe(MAX_CACHED_ANSWERS);
    await clock.advance(1);
    cache.find('', 'x');
    expect(cache.size).toBe(0);
  });
});
