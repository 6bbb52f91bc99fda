import { describe, expect, it } from 'vitest';
import { checkMemoryDecreases, type MemoryDecrease } from './check-memory-decrease.ts';

const web = { container: { name: 'web', id: 'id-web' }, limitBytes: 1000 };
const proxy = { container: { name: 'proxy', id: 'id-proxy' }, limitBytes: 500 };
const pod = { limitBytes: 1500 };

async function problemOf(
  decreases: readonly MemoryDecrease[],
  used: Readonly<Record<string, bigint | Error | undefined>>,
): Promise<string | undefined> {
  const read = async (id: string): Promise<bigint | undefined> => {
    const usage = used[id];
    if (usage instanceof Error) throw usage;
    return usage;
  };
  try {
    await checkMemoryDecreases(decreases, { container: read, pod: read }, 'sandbox', undefined);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('decrease of memory limits', () => {
  it('is allowed above the memory in use', async () => {
    expect(await problemOf([pod, web, proxy], { sandbox: 1499n, 'id-web': 999n, 'id-proxy': 0n })).toBeUndefined();
    expect(await problemOf([], {})).toBeUndefined();
  });

  it.each<[string, readonly MemoryDecrease[], Readonly<Record<string, bigint | Error | undefined>>]>([
    ['attempting to set container "web" memory limit (1000) below current usage (1000)', [web], { 'id-web': 1000n }],
    ['attempting to set pod memory limit (1500) below current usage (1600)', [pod], { sandbox: 1600n }],
    ['missing container "web" memory usage', [web], {}],
    ['missing pod memory usage: no such sandbox', [pod], { sandbox: new Error('no such sandbox') }],
    [
      '[attempting to set pod memory limit (1500) below current usage (2000), missing container "proxy" memory usage]',
      [pod, web, proxy],
      { sandbox: 2000n, 'id-web': 1n },
    ],
  ])('is rejected: %s', async (problem, decreases, used) => {
    expect(await problemOf(decreases, used)).toBe(`cannot decrease memory limits: ${problem}`);
  });
});
