import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Workspace packages are tested from their sources: the condition picks `src/` in their `exports`. */
const conditions = ['@rxlet/source', 'node', 'import', 'module', 'default'];
const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
};

/**
 * Node.js strips types by WebAssembly, also in threads of tests, and V8 13.6 ends the process now and then when it compiles the wrappers of imported functions there. With
 * this budget it never does.
 */
const EXEC_ARGV = ['--conditions=@rxlet/source', '--wasm-wrapper-tiering-budget=1000000000'];

export default defineConfig({
  root,
  ...shared,
  test: {
    projects: [
      {
        root,
        ...shared,
        test: {
          name: 'unit',
          environment: 'node',
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/*/page/src/**/*.test.ts',
            'apps/*/src/**/*.test.ts',
            'tools/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', '**/dist/**', '**/*.containerd.test.ts', '**/*.packages.test.ts'],
          pool: 'forks',
          // Files share a process and the modules in it, which halves the time: no module keeps state between its users.
          isolate: false,
          execArgv: EXEC_ARGV,
          testTimeout: 60_000,
        },
      },
      {
        root,
        ...shared,
        test: {
          name: 'containerd',
          environment: 'node',
          include: ['**/*.containerd.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          pool: 'forks',
          execArgv: EXEC_ARGV,
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Processes and networks of a whole machine take part. `npm run test:containerd` names the tests that needed a retry, and counts them.
          retry: 1,
        },
      },
      {
        root,
        ...shared,
        test: {
          name: 'packages',
          environment: 'node',
          include: ['tools/package/**/*.packages.test.ts'],
          pool: 'forks',
          execArgv: EXEC_ARGV,
          fileParallelism: false,
          // One test goes on where another ended, and the first failure says why.
          bail: 1,
          testTimeout: 300_000,
          hookTimeout: 900_000,
        },
      },
    ],
  },
});
