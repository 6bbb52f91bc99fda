// Runs the unit tests of each project that changed since its last run, by nx: `npm test [-- FLAGS OF NX]`. The totals also count cached results.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { totalsOf, type UnitTestReport } from './unit-test-totals.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Reports of the projects, which nx restores from its cache. */
const reports = join(root, 'node_modules/.cache/unit-tests');

rmSync(reports, { recursive: true, force: true });
const args = ['node_modules/nx/dist/bin/nx.js', 'run-many', '-t', 'test', '--parallel', '2', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
process.stdout.write(totalsOf(readReports()));
process.exitCode = status ?? 1;

function readReports(): UnitTestReport[] {
  try {
    return readdirSync(reports, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(reports, name), 'utf8')) as UnitTestReport);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
