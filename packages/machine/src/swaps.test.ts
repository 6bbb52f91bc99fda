import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { isSwapOn } from './swaps.ts';

const HEAD = 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n';

describe('isSwapOn', () => {
  it.each([
    [HEAD, false],
    [`${HEAD}/dev/sda2                               partition\t1048572\t\t0\t\t-2\n`, true],
    [undefined, false],
  ])('reads the table of the kernel: %j', async (text, expected) => {
    const files = createMemoryFiles();
    if (text !== undefined) files.put('/proc/swaps', text);
    expect(await isSwapOn(files.hostFiles)).toBe(expected);
  });

  it('rejects when the table cannot be read', async () => {
    const read = async (): Promise<never> => {
      throw new Error('EACCES: permission denied');
    };
    await expect(isSwapOn({ read })).rejects.toThrow('permission denied');
  });
});
