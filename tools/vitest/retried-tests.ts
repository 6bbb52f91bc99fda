import type { Reporter, TestCase } from 'vitest/node';

/** Creates a reporter that names each test that needed a retry, with the failure of its first attempt, and counts them at the end of the run. */
export function createRetriedTests(print: (text: string) => void): Reporter {
  const retried: TestCase[] = [];
  return {
    onTestCaseResult(test) {
      if ((test.diagnostic()?.retryCount ?? 0) > 0) retried.push(test);
    },
    onTestRunEnd() {
      for (const test of retried) {
        const result = test.result();
        const outcome = result.state === 'passed' ? 'passed when retried' : 'failed again when retried';
        print(`${outcome}: ${test.module.relativeModuleId} > ${test.fullName}\n`);
        const [first] = result.errors ?? [];
        if (first !== undefined) print(`    first failure: ${first.message.split('\n', 1)[0]!}\n`);
      }
      print(`    Retried  ${String(retried.length)} ${retried.length === 1 ? 'test' : 'tests'}\n`);
    },
  };
}
