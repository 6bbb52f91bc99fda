import { expect, it } from 'vitest';
import { createHeaderCodec } from './header-codec.ts';

it('rejects calls in flight and later ones once it is disposed of', async () => {
  const codec = createHeaderCodec();
  await codec.encode({ streamtype: 'stdin' });
  const inFlight = [codec.encode({ streamtype: 'stdout' }), codec.encode({ streamtype: 'stderr' })];
  const outcomes = Promise.allSettled(inFlight);
  codec[Symbol.dispose]();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(codec.encode({})).rejects.toThrow('the connection has ended');
  await expect(codec.decode(Buffer.alloc(4))).rejects.toThrow('the connection has ended');
});
