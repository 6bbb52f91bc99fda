import { describe, expect, it } from 'vitest';
import { jitter, type Random, seededRandom, systemRandom, uuid } from './random.ts';

const generators: [string, () => Random][] = [
  ['systemRandom', () => systemRandom],
  ['seededRandom', () => seededRandom(7)],
];

describe.each(generators)('%s', (_, create) => {
  it('returns numbers in [0, 1)', () => {
    const random = create();
    const numbers = Array.from({ length: 2000 }, () => random.next());
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    expect(new Set(numbers).size).toBeGreaterThan(1990);
  });

  it('returns two hex digits per byte', () => {
    const random = create();
    expect(random.hex(0)).toBe('');
    expect(random.hex(32)).toMatch(/^[0-9a-f]{64}$/);
    expect(random.hex(32)).not.toBe(random.hex(32));
  });

  it('returns version 4 UUIDs', () => {
    const random = create();
    const uuids = Array.from({ length: 200 }, () => uuid(random));
    for (const id of uuids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(uuids).size).toBe(200);
  });
});

describe('seededRandom', () => {
  it('returns the same sequence for a seed in every release', () => {
    const random = seededRandom(42);
    expect([random.next(), random.next(), random.hex(4)]).toEqual([
      0.6011037519201636,
      0.44829055899754167,
      'c0ad8ad3',
    ]);
  });

  it('returns another sequence for another seed', () => {
    expect(seededRandom(1).next()).not.toBe(seededRandom(2).next());
  });
});

describe('jitter', () => {
  it.each([
    [0, 10],
    [0.5, 12.5],
    [0.999, 14.995],
  ])('spreads upwards by %d of the factor', (next, expected) => {
    expect(jitter({ next: () => next, hex: () => '' }, 10, 0.5)).toBeCloseTo(expected, 9);
  });
});
