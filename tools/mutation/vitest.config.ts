import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { CORE_VARIABLE, CORES } from './cores.ts';

/** The sandbox: Stryker copies this file with the core into it. Packages other than the core's are the unmutated ones of the workspace. */
const root = fileURLToPath(new URL('../..', import.meta.url));
const conditions = ['@rxlet/source', 'node', 'import', 'module', 'default'];
const core = CORES.find(({ name }) => name === process.env[CORE_VARIABLE]);
if (core === undefined) throw new Error(`${CORE_VARIABLE} names no core`);

export default defineConfig({
  root,
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    environment: 'node',
    include: core.tests.map((glob) => `${core.folder}/${glob}`),
    // Hundreds of runs for each mutant take too long.
    exclude: ['**/*.{property,invariants}.test.ts'],
    // Threads accept no flags of V8; the process of the runner has them.
    execArgv: ['--conditions=@rxlet/source'],
    // Files share a worker, as in `npm test`; each mutant has a new one.
    isolate: false,
    setupFiles: ['tools/mutation/seed-properties.ts'],
    testTimeout: 60_000,
  },
});
