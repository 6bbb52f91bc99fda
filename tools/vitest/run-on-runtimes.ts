// Runs the tests on real runtimes: `npm run test:containerd [-- FILES AND FLAGS OF VITEST]`. Without any, files that failed run once more.
// Tests that needed a retry are named and counted.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'tools/vitest/vitest.config.ts'];

/** A run's exit code, and its test files that failed, relative to the root. */
interface Outcome {
  readonly exitCode: number;
  readonly failedFiles: readonly string[];
}

function runVitest(args: readonly string[]): Outcome {
  const folder = mkdtempSync(join(tmpdir(), 'rxlet-vitest-'));
  const reportPath = join(folder, 'report.json');
  const retried = '--reporter=./tools/vitest/retried-tests-reporter.ts';
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`, retried];
  const { status } = spawnSync(process.execPath, [...vitest, '--project', 'containerd', ...reporters, ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  try {
    if (status === 0) return { exitCode: 0, failedFiles: [] };
    return { exitCode: status ?? 1, failedFiles: readFailedFiles(reportPath) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readFailedFiles(reportPath: string): string[] {
  const report = JSON.parse(readFileSync(reportPath, 'utf8')) as {
    readonly testResults: readonly { readonly name: string; readonly status: string }[];
  };
  return report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(root, name));
}

const args = process.argv.slice(2);
const first = runVitest(args);
let { exitCode } = first;
if (args.length === 0 && first.failedFiles.length > 0) {
  // A test that failed leaves its pods on the file's node, where its retry meets them: the file gets a node of its own.
  console.error(`\nsecond run, each file with a new node: ${first.failedFiles.join(', ')}\n`);
  ({ exitCode } = runVitest(first.failedFiles));
  const files = String(first.failedFiles.length);
  if (exitCode === 0) console.error(`\n${files} test files needed a second run: ${first.failedFiles.join(', ')}`);
}
process.exitCode = exitCode;
