import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { atEndOfTurn } from './end-of-turn.ts';

it('calls back after what has arrived is handled, microtasks included', async () => {
  const order: string[] = [];
  const called = Promise.withResolvers<void>();
  Readable.from(['event'], { objectMode: false }).on('data', () => order.push('event'));
  atEndOfTurn(() => {
    order.push('end');
    called.resolve();
  });
  void Promise.resolve().then(() => order.push('microtask'));
  await called.promise;
  expect(order).toEqual(['microtask', 'event', 'end']);
});
