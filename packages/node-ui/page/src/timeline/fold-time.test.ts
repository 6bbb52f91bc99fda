import { describe, expect, it } from 'vitest';
import { foldTime, linearTime } from './fold-time.ts';

describe('a folded scale', () => {
  const day = 86_400_000;
  const scale = foldTime([0, 100, 350, day], 0, day);

  it('keeps the order, from the begin to the end', () => {
    const places = [-1, 0, 50, 100, 350, 1000, day, 2 * day].map((ms) => scale.place(ms));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect([places[0], places.at(-1)]).toEqual([0, 1]);
  });

  it('gives milliseconds room beside a day', () => {
    expect(scale.place(350)).toBeGreaterThan(0.15);
  });

  it('has labels that are apart from each other', () => {
    const many = foldTime(
      Array.from({ length: 1000 }, (_, index) => index * 10),
      0,
      10_000,
    );
    const places = many.ticks.map((ms) => many.place(ms));
    expect(places.length).toBeGreaterThan(5);
    for (const [index, place] of places.slice(1).entries()) expect(place - places[index]!).toBeGreaterThan(0.08);
  });

  it('works for a life that has just begun', () => {
    expect(foldTime([], 5, 5).place(5)).toBe(0);
  });
});

it('a linear scale gives equal times equal room', () => {
  const scale = linearTime(1000, 2000);
  expect([1000, 1250, 1500, 2000].map((ms) => scale.place(ms))).toEqual([0, 0.25, 0.5, 1]);
});
