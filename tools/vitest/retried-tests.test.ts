import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startVitest } from 'vitest/node';
import { createRetriedTests } from './retried-tests.ts';

const FLAKY_TEST = `
import { expect, it } from 'vitest';
let attempts = 0;
it('settles in time', { retry: 1 }, () => {
  attempts += 1;
  expect(attempts, 'attempt').toBe(2);
});
it('is steady', { retry: 1 }, () => {});
it('is broken', { retry: 1 }, () => {
  throw new Error('broken for good');
});
`;

it('names the tests that needed a retry, with their first failure, and counts them', async () => {
  const cache = join(import.meta.dirname, '../../node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const root = await mkdtemp(join(cache, 'retried-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await writeFile(join(root, 'flaky.test.ts'), FLAKY_TEST);
  // A failed run of Vitest sets the exit code of its process.
  const { exitCode } = process;
  let output = '';
  const vitest = await startVitest('test', [], {
    root,
    config: false,
    watch: false,
    include: ['*.test.ts'],
    exclude: [],
    reporters: [createRetriedTests((text) => (output += text))],
  });
  await vitest.close();
  process.exitCode = exitCode;
  expect(output.split('\n')).toEqual([
    'passed when retried: flaky.test.ts > settles in time',
    expect.stringMatching(/^ {4}first failure: .*attempt/),
    'failed again when retried: flaky.test.ts > is broken',
    '    first failure: broken for good',
    '    Retried  2 tests',
    '',
  ]);
});
