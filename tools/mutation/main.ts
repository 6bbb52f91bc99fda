/**
 * Mutation testing of the pure cores (`npm run mutate -- CORE…`): changes one expression at a time, and runs the tests that reach it. A mutant that no test
 * notices survives: a test is missing, the code is needless, or the mutant is equivalent.
 *
 * Mutants that an earlier run noticed are not run again while neither they nor the tests that noticed them change; `--fresh` runs all. `--concurrency N` runs that many at
 * once.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { type Core, CORE_VARIABLE, CORES } from './cores.ts';
import { EXPLAINED_SURVIVORS } from './explained-survivors.ts';
import { reportOf } from './report.ts';

type StrykerOptions = ConstructorParameters<typeof Stryker>[0];

const root = fileURLToPath(new URL('../..', import.meta.url));
const results = join(root, 'node_modules/.cache/mutation');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { fresh: { type: 'boolean', default: false }, concurrency: { type: 'string', default: '1' } },
});
const cores = positionals.map((name) => CORES.find((core) => core.name === name));
if (cores.length === 0 || cores.includes(undefined)) {
  process.stderr.write(`usage: npm run mutate -- CORE…\ncores: ${CORES.map(({ name }) => name).join(', ')}\n`);
  process.exitCode = 2;
} else {
  process.chdir(root);
  mkdirSync(results, { recursive: true });
  for (const core of cores as Core[]) await mutate(core);
}

async function mutate(core: Core): Promise<void> {
  process.env[CORE_VARIABLE] = core.name;
  const incrementalFile = join(results, `${core.name}.json`);
  keepNoticed(incrementalFile);
  // Outside of the workspace, whose configuration files would otherwise apply.
  const sandbox = mkdtempSync(join(tmpdir(), 'rxlet-mutation-'));
  const removeSandbox = (): void => rmSync(sandbox, { recursive: true, force: true });
  process.once('exit', removeSandbox);
  try {
    const mutants = await new Stryker({
      mutate: core.files.map((file) => `${core.folder}/${file}`),
      ignorePatterns: ['**', `!${core.folder}/**`, '!tools/mutation/**', '!package.json', '!tsconfig*.json'],
      tempDirName: sandbox,
      testRunner: 'vitest',
      plugins: ['@stryker-mutator/vitest-runner'],
      vitest: { configFile: 'tools/mutation/vitest.config.ts', related: false },
      testRunnerNodeArgs: ['--conditions=@rxlet/source', '--wasm-wrapper-tiering-budget=1000000000'],
      coverageAnalysis: 'perTest',
      concurrency: Number(values.concurrency),
      // Generous, because a time-out counts as noticed: most endless loops end earlier, by the number of their turns.
      timeoutMS: 20_000,
      incremental: true,
      incrementalFile,
      force: values.fresh,
      reporters: process.stdout.isTTY ? ['html', 'progress'] : ['html'],
      htmlReporter: { fileName: join(results, `${core.name}.html`) },
      disableTypeChecks: false,
      warnings: false,
      allowConsoleColors: false,
      logLevel: 'warn' as StrykerOptions['logLevel'],
      packageManager: 'npm',
    }).runMutationTest();
    const { text, isExplained } = reportOf(
      core,
      mutants.map((mutant) => ({ ...mutant, fileName: mutant.fileName.slice(root.length) })),
      (file) => readFileSync(join(root, file), 'utf8'),
      EXPLAINED_SURVIVORS,
    );
    writeFileSync(join(results, `${core.name}.txt`), text);
    process.stdout.write(text);
    if (!isExplained) process.exitCode = 1;
  } finally {
    process.off('exit', removeSandbox);
    removeSandbox();
  }
}

/**
 * Keeps only the noticed mutants in the results of an earlier run. Stryker would not test survivors again after a change in what tests share, nor those outside of functions;
 * and mutants without a result belong to a run that was cut off.
 */
function keepNoticed(incrementalFile: string): void {
  if (!existsSync(incrementalFile)) return;
  const report = JSON.parse(readFileSync(incrementalFile, 'utf8')) as {
    readonly files: Readonly<Record<string, { mutants: readonly { readonly status: string }[] }>>;
  };
  for (const file of Object.values(report.files)) {
    file.mutants = file.mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout');
  }
  writeFileSync(incrementalFile, JSON.stringify(report));
}
