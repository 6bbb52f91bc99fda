import { describe, expect, it } from 'vitest';
import { parseCommandLine } from './command-line.ts';

describe('the command line of the simulator', () => {
  it('runs one seed when only that is given', () => {
    expect(parseCommandLine(['--seed', '7'])).toMatchObject({ firstSeed: 7, seeds: 1, limitMs: Infinity });
  });

  it('runs seeds from the clock for a time', () => {
    expect(parseCommandLine(['--seconds', '120', '--workload', 'standard', '--workload', 'cluster'])).toMatchObject({
      firstSeed: undefined,
      seeds: Infinity,
      limitMs: 120_000,
      workloads: ['standard', 'cluster'],
    });
  });

  it('uses no more threads than there are seeds', () => {
    expect(parseCommandLine(['--seeds', '3', '--jobs', '8'])).toMatchObject({ jobs: 3 });
    expect(parseCommandLine(['--seconds', '10', '--jobs', '8'])).toMatchObject({ jobs: 8 });
    expect(parseCommandLine(['--seed', '7'])).toMatchObject({ jobs: 1 });
  });

  it.each([
    ['--seed', 'x'],
    ['--seeds', '-1'],
    ['--workload', 'other'],
    ['--nothing', '1'],
  ])('rejects %s %s', (flag, value) => {
    expect(() => parseCommandLine([`${flag}=${value}`])).toThrow(flag);
  });
});
