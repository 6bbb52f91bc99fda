import { expect, it } from 'vitest';
import { createFullNameQueue } from './full-name-queue.ts';

it('grants a name to one pod at a time, in order of arrival', () => {
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

it('names no next holder when a waiting pod leaves', () => {
  const names = createFullNameQueue();
  names.join('web_default', 'a');
  names.join('web_default', 'b');
  names.join('web_default', 'c');
  expect(names.leave('web_default', 'b')).toBeUndefined();
  expect(names.leave('web_default', 'a')).toBe('c');
});

it('ignores pods that never joined', () => {
  expect(createFullNameQueue().leave('web_default', 'a')).toBeUndefined();
});

it('names no next holder while an orphaned pod holds the name, whenever it was found', () => {
  const names = createFullNameQueue();
  names.occupy('web_default', 'held');
  expect(names.join('web_default', 'a')).toBe(false);
  names.occupy('web_default', 'found later');
  expect(names.leave('web_default', 'held')).toBeUndefined();
  expect(names.leave('web_default', 'found later')).toBe('a');
});

it('lets a waiting pod take the name when it is found in the runtime', () => {
  const names = createFullNameQueue();
  names.join('web_default', 'a');
  names.join('web_default', 'b');
  names.occupy('web_default', 'b');
  expect(names.leave('web_default', 'a')).toBeUndefined();
  expect(names.leave('web_default', 'b')).toBeUndefined();
  expect(names.join('web_default', 'c')).toBe(true);
});
