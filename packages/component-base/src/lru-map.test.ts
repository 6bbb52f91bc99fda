import { expect, it } from 'vitest';
import { createLruMap } from './lru-map.ts';

it('evicts the least recently used key', () => {
  const map = createLruMap<number>(2);
  map.set('read', 1);
  map.set('written', 2);
  map.get('read');
  map.set('new', 3);
  expect(map.get('written')).toBeUndefined();
  map.set('read', 4);
  map.set('newer', 5);
  expect([map.get('read'), map.get('new'), map.get('newer')]).toEqual([4, undefined, 5]);
});

it('reports its number of keys', () => {
  const map = createLruMap<string>(2);
  for (const key of ['a', 'b', 'c']) map.set(key, key);
  expect(map.size).toBe(2);
  map.delete('a');
  map.delete('b');
  expect([map.size, map.get('b'), map.get('c')]).toEqual([1, undefined, 'c']);
});
