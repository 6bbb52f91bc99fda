import { expect, it } from 'vitest';
import { createFullNameQueue } from './full-name-queue.ts';

it('gives a name to one pod at a time, in the order in which they asked', () => {
  const names = createFullNameQueue();
  expect(names.join('web_default', 'a')).toBe(true);
  expect(names.join('web_default', 'b')).toBe(false);
  expect(names.join('web_default', 'c')).toBe(false);
  expect(names.join('db_default', 'd')).toBe(true);
  expect(names.leave('web_default', 'a')).toBe('b');
  expect(names.leave('web_default', 'b')).toBe('c');
  expect(names.leave('web_default', 'c')).toBeUndefined();
  expect(names.join('web_default', 'e')).toBe(true);
});

it('lets nobody in when one who waits gives up', () => {
  const names = createFullNameQueue();
  names.join('web_default', 'a');
  names.join('web_default', 'b');
  names.join('web_default', 'c');
  expect(names.leave('web_default', 'b')).toBeUndefined();
  expect(names.leave('web_default', 'a')).toBe('c');
});

it('ignores who never asked', () => {
  expect(createFullNameQueue().leave('web_default', 'a')).toBeUndefined();
});

it('lets nobody in while the runtime still holds something of the name, whenever it was found', () => {
  const names = createFullNameQueue();
  names.occupy('web_default', 'held');
  expect(names.join('web_default', 'a')).toBe(false);
  names.occupy('web_default', 'found later');
  expect(names.leave('web_default', 'held')).toBeUndefined();
  expect(names.leave('web_default', 'found later')).toBe('a');
});

it('lets one who waited take the name at once when the runtime holds it', () => {
  const names = createFullNameQueue();
  names.join('web_default', 'a');
  names.join('web_default', 'b');
  names.occupy('web_default', 'b');
  expect(names.leave('web_default', 'a')).toBeUndefined();
  expect(names.leave('web_default', 'b')).toBeUndefined();
  expect(names.join('web_default', 'c')).toBe(true);
});
