import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { drained } from './drained.ts';

it.each(['drain', 'close'])('resolves with the event %s, and leaves no listener behind', async (event) => {
  const stream = new Writable();
  const end = drained(stream);
  stream.emit(event);
  await end;
  expect([stream.listenerCount('drain'), stream.listenerCount('close')]).toEqual([0, 0]);
});
