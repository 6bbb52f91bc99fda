import { describe, expect, it } from 'vitest';
import { countCpus, hugePageFolderBytes, lowestLimit, memoryInfoBytes, osPrettyName } from './parse-kernel-files.ts';

describe('files of the kernel', () => {
  it.each([
    ['0', 1],
    ['0-3,8,10-11', 7],
    ['', undefined],
    ['0-', undefined],
  ])('list the CPUs "%s": %s', (list, count) => expect(countCpus(list)).toBe(count));

  it('report the sizes of memory and swap', () => {
    const meminfo = 'MemTotal:       100 kB\nSwapTotal:      2097148 kB\nSwapFree: 1 kB\n';
    expect(memoryInfoBytes(meminfo, 'MemTotal')).toBe(102_400);
    expect(memoryInfoBytes(meminfo, 'SwapTotal')).toBe(2_147_479_552);
    expect(memoryInfoBytes('', 'SwapTotal')).toBeUndefined();
  });

  it.each([
    ['hugepages-2048kB', 2 * 1024 ** 2],
    ['hugepages-64kB', 65_536],
    ['hugepages-0kB', undefined],
    ['other', undefined],
  ])('report the page size of the folder %s: %s bytes', (name, bytes) => expect(hugePageFolderBytes(name)).toBe(bytes));

  it.each([
    [['4194304', '30000'], 30_000],
    [['', '30000'], 30_000],
    [['', 'x'], undefined],
  ])('report the limits of processes %j: %s', (limits, lowest) => expect(lowestLimit(limits)).toBe(lowest));

  it.each([
    ['ID=debian\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n', 'Debian GNU/Linux 13 (trixie)'],
    ['PRETTY_NAME=\'a "b"\'', 'a "b"'],
    ['PRETTY_NAME=Plain', 'Plain'],
    ['PRETTY_NAME=""', undefined],
    ['ID=x', undefined],
  ])('report the name of the distribution: %s', (text, name) => expect(osPrettyName(text)).toBe(name));
});
