import { describe, expect, it } from 'vitest';
import { totalsOf, type UnitTestReport } from './unit-test-totals.ts';

const report = (statuses: readonly string[], passed: number, failed = 0, skipped = 0): UnitTestReport => ({
  testResults: statuses.map((status) => ({ status })),
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: skipped,
  numTodoTests: 0,
  numTotalTests: passed + failed + skipped,
});

describe('totalsOf', () => {
  it('adds the tests of all projects', () => {
    expect(totalsOf([report(['passed', 'passed'], 10, 0, 2), report(['passed', 'failed'], 5, 1)])).toBe(
      [
        '   Projects  2',
        ' Test Files  1 failed | 3 passed (4)',
        '      Tests  1 failed | 15 passed | 2 skipped (18)\n',
      ].join('\n'),
    );
  });

  it('reports no project without any report', () => {
    expect(totalsOf([])).toBe('   Projects  0\n Test Files  0 passed (0)\n      Tests  0 passed (0)\n');
  });
});
