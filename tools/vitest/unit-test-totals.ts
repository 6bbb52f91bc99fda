/** Numbers of a run in Vitest's JSON report. */
export interface UnitTestReport {
  readonly testResults: readonly { readonly status: string }[];
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numTotalTests: number;
}

/** Returns the closing lines of a run over several projects, in the form of Vitest's. */
export function totalsOf(reports: readonly UnitTestReport[]): string {
  const sum = (count: (report: UnitTestReport) => number): number =>
    reports.reduce((total, report) => total + count(report), 0);
  const files = (status: string): number =>
    sum(({ testResults }) => testResults.filter((file) => file.status === status).length);
  const line = (title: string, failed: number, passed: number, skipped: number, total: number): string => {
    const counts = [
      ...(failed > 0 ? [`${String(failed)} failed`] : []),
      `${String(passed)} passed`,
      ...(skipped > 0 ? [`${String(skipped)} skipped`] : []),
    ];
    return `${title.padStart(11)}  ${counts.join(' | ')} (${String(total)})\n`;
  };
  const allFiles = sum(({ testResults }) => testResults.length);
  return [
    `${'Projects'.padStart(11)}  ${String(reports.length)}\n`,
    line('Test Files', files('failed'), files('passed'), allFiles - files('failed') - files('passed'), allFiles),
    line(
      'Tests',
      sum(({ numFailedTests }) => numFailedTests),
      sum(({ numPassedTests }) => numPassedTests),
      sum(({ numPendingTests, numTodoTests }) => numPendingTests + numTodoTests),
      sum(({ numTotalTests }) => numTotalTests),
    ),
  ].join('');
}
