import { totalmem } from 'node:os';
import { expect, it } from 'vitest';
import { readNodeFacts } from './node-facts.ts';

it('reads the facts from the kernel', async () => {
  const facts = await readNodeFacts();
  expect(facts.memoryCapacityBytes).toBe(BigInt(totalmem()));
  expect(Number(facts.allocatable['cpu'])).toBeGreaterThanOrEqual(1);
  for (const size of facts.hugePageSizes) expect(size).toMatch(/^\d+(KB|MB|GB)$/);
});
