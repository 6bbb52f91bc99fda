import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatSize } from './format-size.ts';
import { resolveImageGcPolicy } from './image-gc-policy.ts';
import { type ImageInventory, type ListedImage, updateInventory } from './image-inventory.ts';
import { removableImages, selectForSpace, selectOldImages, spaceNeed } from './select-images.ts';

const image = (id: string, fields: Partial<ListedImage> = {}): ListedImage => ({
  id,
  names: [id, `${id}:latest`],
  sizeBytes: 100,
  pinned: false,
  ...fields,
});
const idsOf = (images: readonly { readonly id: string }[]): string[] => images.map(({ id }) => id);
const none: ReadonlySet<string> = new Set();

describe('updateInventory', () => {
  it('treats initial images as present since always, and later ones as new', () => {
    const first = updateInventory(undefined, [image('a')], none, 10);
    const second = updateInventory(first, [image('a'), image('b')], new Set(['b:latest']), 20);
    const third = updateInventory(second, [image('b'), image('c')], none, 30);
    const shown = Array.from(third.values(), ({ id, firstDetectedMs, lastUsedMs }) => [
      id,
      firstDetectedMs,
      lastUsedMs,
    ]);
    expect(first.get('a')).toMatchObject({ firstDetectedMs: -Infinity, lastUsedMs: -Infinity });
    expect(shown).toEqual([
      ['b', 20, 20],
      ['c', 30, -Infinity],
    ]);
  });
});

describe('removableImages', () => {
  it('orders by last use, then by detection', () => {
    let inventory = updateInventory(
      undefined,
      [image('used-first'), image('old'), image('pinned', { pinned: true })],
      none,
      0,
    );
    const all = [...inventory.values(), image('new'), image('used-last')];
    inventory = updateInventory(inventory, all, new Set(['used-first']), 10);
    inventory = updateInventory(inventory, [...all, image('newest')], new Set(['used-last']), 20);
    expect(idsOf(removableImages(inventory, new Set(['other'])))).toEqual([
      'old',
      'new',
      'newest',
      'used-first',
      'used-last',
    ]);
    expect(idsOf(removableImages(inventory, new Set(['old:latest', 'newest'])))).toEqual([
      'new',
      'used-first',
      'used-last',
    ]);
  });
});

describe('selectOldImages', () => {
  const policy = resolveImageGcPolicy({ imageMaximumGcAgeMs: 1000, imageMinimumGcAgeMs: 0 });
  const before = updateInventory(undefined, [image('old'), image('used')], none, 0);
  const inventory = updateInventory(before, [image('old'), image('used'), image('new')], new Set(['used']), 900);

  it('selects images that are unused for longer than the maximum age', () => {
    const removable = removableImages(inventory, none);
    expect(idsOf(selectOldImages(removable, policy, 1000, 0))).toEqual([]);
    expect(idsOf(selectOldImages(removable, policy, 1001, 0))).toEqual(['old']);
    expect(idsOf(selectOldImages(removable, policy, 1900, 0))).toEqual(['old']);
    expect(idsOf(selectOldImages(removable, policy, 1901, 0))).toEqual(['old', 'new', 'used']);
  });

  it('selects nothing without a maximum age', () => {
    const forever = resolveImageGcPolicy();
    expect(selectOldImages(removableImages(inventory, none), forever, 1e12, 0)).toEqual([]);
  });
});

describe('spaceNeed', () => {
  const policy = resolveImageGcPolicy();
  it.each([
    [1000, 160, 84, 0],
    [1000, 159, 85, 41],
    [1000, 150, 85, 50],
    [1000, 0, 100, 200],
    [1000, 5000, 0, 0],
  ])('%d bytes with %d available: %d%%, %d to free', (capacity, available, usagePercent, bytesToFree) => {
    expect(spaceNeed(capacity, available, policy)).toEqual({ usagePercent, bytesToFree });
  });
});

describe('image selection', () => {
  it('never selects a used, pinned or too young image, and selects the least recently used first', () => {
    const step = fc.record({
      present: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')),
      used: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')),
      afterMs: fc.integer({ min: 1, max: 400 }),
    });
    const policies = fc.record({
      imageMinimumGcAgeMs: fc.integer({ min: 0, max: 500 }),
      imageMaximumGcAgeMs: fc.integer({ min: 0, max: 1000 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), policies, (steps, ages) => {
        const policy = resolveImageGcPolicy(ages);
        let seen = new Map<string, number>();
        const lastUse = new Map<string, number>();
        let inventory: ImageInventory | undefined;
        let nowMs = 0;
        for (const [index, { present, used, afterMs }] of steps.entries()) {
          nowMs += afterMs;
          const newcomerMs = index === 0 ? -Infinity : nowMs;
          for (const id of present) {
            if (!seen.has(id)) lastUse.delete(id);
            if (used.includes(id)) lastUse.set(id, nowMs);
          }
          seen = new Map(present.map((id) => [id, seen.get(id) ?? newcomerMs]));
          const listed = present.map((id) => image(id, { pinned: id === 'f' }));
          inventory = updateInventory(inventory, listed, new Set(used), nowMs);
          const removable = removableImages(inventory, new Set(used));
          const forSpace = idsOf(selectForSpace(removable, policy, nowMs));
          const tooOld = idsOf(selectOldImages(removable, policy, nowMs, 0));
          const free: string[] = present.filter((id) => !used.includes(id) && id !== 'f');
          const oldEnough = (id: string) => nowMs - seen.get(id)! >= policy.imageMinimumGcAgeMs;
          expect(new Set(forSpace)).toEqual(new Set(free.filter(oldEnough)));
          for (const id of tooOld) expect(free.filter(oldEnough)).toContain(id);
          const useOf = (id: string) => lastUse.get(id) ?? -Infinity;
          for (const [place, id] of forSpace.slice(1).entries()) {
            expect(useOf(forSpace[place]!)).toBeLessThanOrEqual(useOf(id));
          }
        }
      }),
    );
  });
});

describe('resolveImageGcPolicy', () => {
  it.each([
    [{ imageGcHighThresholdPercent: 101 }, 'imageGCHighThresholdPercent is 101; it must be between 0 and 100'],
    [{ imageGcLowThresholdPercent: -1 }, 'imageGCLowThresholdPercent is -1; it must be between 0 and 100'],
    [{ imageGcLowThresholdPercent: 90 }, '90 must not be higher than imageGCHighThresholdPercent 85'],
    [{ imageMinimumGcAgeMs: -1 }, 'imageMinimumGCAge must not be negative'],
    [{ imageMaximumGcAgeMs: NaN }, 'imageMaximumGCAge must not be negative'],
  ])('rejects %j', (policy, message) => {
    expect(() => resolveImageGcPolicy(policy)).toThrow(message);
  });
});

describe('formatSize', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1024 ** 2 * 1.5, '1.5 MiB'],
    [28346784973, '26.4 GiB'],
    [1024 ** 4 * 2000, '2000.0 TiB'],
  ])('%d: %s', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });
});
