import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

it('runs the jobs that fit, and prints their phases', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@rxlet/source', main], {
    timeout: 15_000,
  });
  const lines = stdout.trim().split('\n');
  expect(lines.filter((line) => line.startsWith('job-0'))).toEqual([
    'job-0 is new',
    'job-0 is Pending',
    'job-0 is Running',
    'job-0 is Succeeded',
  ]);
  expect(lines.filter((line) => line.startsWith('job-1'))).toEqual([
    'job-1 is new',
    'job-1 is Pending',
    'job-1 is Running',
    'job-1 is Failed',
  ]);
  expect(lines.filter((line) => line.startsWith('job-2'))).toEqual(['job-2 is new', 'job-2 is OutOfpods']);
});

it('shows that an agent takes no more than sixty lines', async () => {
  expect((await readFile(main, 'utf8')).trim().split('\n').length).toBeLessThanOrEqual(60);
});
