import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Workspace packages are tested from their sources: the condition picks `src/` in their `exports`. */
const conditions = ['@rxlet/source', 'node', 'import', 'module', 'default'];
const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
};

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
          include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'tools/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**', '**/*.containerd.test.ts'],
          pool: 'forks',
          execArgv: ['--conditions=@rxlet/source'],
          testTimeout: 20_000,
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
          execArgv: ['--conditions=@rxlet/source'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
