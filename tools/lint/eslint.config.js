import { join } from 'node:path';
import { createProjectGraphAsync, readCachedProjectGraph } from '@nx/devkit';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { noImportCycles } from './no-import-cycles.js';
import { plainProse } from './plain-prose.js';
import { rxjsExplicitScheduler } from './rxjs-explicit-scheduler.js';
import { rxjsGuardedSubscribe } from './rxjs-guarded-subscribe.js';
import { streamFoundation } from './stream-foundation.js';

const root = join(import.meta.dirname, '../..');

// The layer rule reads nx's cached project graph, and skips itself when there is none.
process.env.NX_DAEMON = 'false';
if (process.env.NX_TASK_TARGET_PROJECT === undefined) await createProjectGraphAsync();
else readCachedProjectGraph();

/** Time and randomness come from the ports `Clock` and `Random`; only the files that implement them may use these. */
const CLOCK = 'Time comes from the injected Clock of @rxlet/component-base.';
const RANDOM = 'Randomness comes from the injected Random of @rxlet/component-base.';
const bothNames = (builtin) => [builtin, `node:${builtin}`];
const HTTP = 'Use httpModule of @rxlet/component-base/http-module: the import also loads fetch and WebSocket.';
const RANDOM_FUNCTIONS = ['getRandomValues', 'randomBytes', 'randomFill', 'randomFillSync', 'randomInt', 'randomUUID'];
const timeAndRandomness = {
  languageOptions: { globals: { global: 'readonly' } },
  plugins: {
    rxlet: {
      rules: {
        'no-import-cycles': noImportCycles,
        'plain-prose': plainProse,
        'rxjs-explicit-scheduler': rxjsExplicitScheduler,
        'rxjs-guarded-subscribe': rxjsGuardedSubscribe,
        'stream-foundation': streamFoundation,
      },
    },
  },
  rules: {
    'rxlet/rxjs-explicit-scheduler': 'error',
    'no-restricted-globals': [
      'error',
      {
        globals: ['setTimeout', 'setInterval', 'setImmediate', 'performance'].map((name) => ({ name, message: CLOCK })),
        checkGlobalObject: true,
        globalObjects: ['global'],
      },
    ],
    'no-restricted-properties': [
      'error',
      { object: 'Date', property: 'now', message: CLOCK },
      { object: 'AbortSignal', property: 'timeout', message: CLOCK },
      { object: 'process', property: 'hrtime', message: CLOCK },
      { object: 'process', property: 'uptime', message: CLOCK },
      { object: 'Math', property: 'random', message: RANDOM },
      // By any local name of the module or the global.
      ...RANDOM_FUNCTIONS.map((property) => ({ property, message: RANDOM })),
    ],
    'no-restricted-syntax': [
      'error',
      { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: CLOCK },
      { selector: "CallExpression[callee.name='Date']", message: CLOCK },
      { selector: 'ImportExpression[source.value=/^(node:)?timers/]', message: CLOCK },
    ],
    'no-restricted-imports': [
      'error',
      {
        paths: [
          ...['timers', 'timers/promises'].flatMap(bothNames).map((name) => ({ name, message: CLOCK })),
          ...bothNames('perf_hooks').map((name) => ({ name, importNames: ['default', 'performance'], message: CLOCK })),
          ...bothNames('process').map((name) => ({ name, importNames: ['hrtime', 'uptime'], message: CLOCK })),
          // No default import, because it would hide which functions are used.
          ...bothNames('crypto').map((name) => ({
            name,
            importNames: ['default', 'webcrypto', ...RANDOM_FUNCTIONS],
            message: `${RANDOM} Everything else is imported by its name.`,
          })),
        ],
      },
    ],
  },
};

/** Layers that each layer may import. */
const layers = (alsoAllowed = [], allow = []) => [
  'error',
  {
    enforceBuildableLibDependency: false,
    allow,
    depConstraints: [
      { sourceTag: 'layer:foundation', onlyDependOnLibsWithTags: ['layer:foundation'] },
      { sourceTag: 'layer:adapter', onlyDependOnLibsWithTags: ['layer:foundation', ...alsoAllowed] },
      { sourceTag: 'layer:subsystem', onlyDependOnLibsWithTags: ['layer:foundation', ...alsoAllowed] },
      { sourceTag: 'layer:core', onlyDependOnLibsWithTags: ['layer:foundation', 'core:part', ...alsoAllowed] },
      {
        sourceTag: 'layer:assembly',
        onlyDependOnLibsWithTags: ['layer:core', 'layer:subsystem', 'layer:foundation', ...alsoAllowed],
      },
      { sourceTag: 'layer:app', onlyDependOnLibsWithTags: ['*'] },
      { sourceTag: 'layer:testkit', onlyDependOnLibsWithTags: ['*'] },
      { sourceTag: 'layer:tools', onlyDependOnLibsWithTags: ['*'] },
    ],
  },
];
/** Tools that other tools import; they have no package of their own. */
const TOOLS_FOR_TOOLS = [
  String.raw`^(\.\./)+(bundle|publish|readme|workspace)/`,
  // Command lines, from which man pages are made.
  String.raw`^\.\./\.\./\.\./apps/(agent|docker-shim|fleet)/src/`,
];

/** Tests may also import adapters, such as the fake runtime, and the test kit. */
const layersOfTests = layers(['layer:adapter', 'layer:testkit']);

const TESTS = ['**/*.test.ts', '**/test-support.ts', '**/test-support/**'];

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '**/gen/**',
      '.nx/**',
      '.rxlet/**',
      '**/.readme-*',
      'docs/api/**',
      'packages/*/static/**',
      'apps/*/static/**',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/require-await': 'off',
      // Factories return closures, whose methods have no `this` to lose.
      '@typescript-eslint/unbound-method': 'off',
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      eqeqeq: ['error', 'always'],
    },
  },
  { files: ['**/*.ts', '**/*.js'], ...timeAndRandomness },
  {
    files: ['**/*.ts', '**/*.js'],
    rules: { 'rxlet/no-import-cycles': 'error', 'rxlet/plain-prose': 'error' },
  },
  // They quote the words that they reject.
  { files: ['tools/lint/plain-prose.js', 'tools/lint/lint.test.ts'], rules: { 'rxlet/plain-prose': 'off' } },
  {
    files: ['packages/**/*.ts', 'apps/**/*.ts'],
    ignores: TESTS,
    rules: { 'rxlet/rxjs-guarded-subscribe': 'error' },
  },
  { files: ['**/*.ts'], rules: { 'rxlet/stream-foundation': 'error' } },
  // A test is often the runtime or plugin that a signal reaches.
  { files: TESTS, rules: { 'rxlet/stream-foundation': ['error', { allowsAbortListeners: true }] } },
  // A page in the browser has no package of the workspace.
  { files: ['packages/*/page/**'], rules: { 'rxlet/stream-foundation': ['error', { allowsAbortListeners: true }] } },
  {
    // The foundation itself; @rxlet/kube-api does not depend on it.
    files: [
      'packages/component-base/src/abort.ts',
      'packages/component-base/src/streams/**',
      'packages/kube-api/src/testing/memory-kube.ts',
    ],
    rules: { 'rxlet/stream-foundation': 'off' },
  },
  {
    files: ['packages/**/*.ts', 'apps/**/*.ts'],
    ignores: TESTS,
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { paths: bothNames('http').map((name) => ({ name, allowTypeImports: true, message: HTTP })) },
      ],
    },
  },
  {
    files: [
      ...['end-of-turn', 'system-clock', 'virtual-clock', 'random'].map(
        (name) => `packages/component-base/src/${name}.ts`,
      ),
      'packages/*/page/src/browser-clock.ts',
    ],
    rules: {
      'no-restricted-globals': 'off',
      'no-restricted-properties': 'off',
      'no-restricted-syntax': 'off',
      'no-restricted-imports': 'off',
      'rxlet/rxjs-explicit-scheduler': 'off',
    },
  },
  {
    files: ['packages/**/*.ts', 'apps/**/*.ts'],
    plugins: { '@nx': nx },
    rules: { '@nx/enforce-module-boundaries': layers() },
  },
  {
    files: ['tools/**/*.ts'],
    plugins: { '@nx': nx },
    rules: { '@nx/enforce-module-boundaries': layers([], TOOLS_FOR_TOOLS) },
  },
  {
    files: ['{packages,apps}/**/*.test.ts', '**/test-support.ts', '**/test-support/**'],
    plugins: { '@nx': nx },
    rules: { '@nx/enforce-module-boundaries': layersOfTests },
  },
  {
    // A page is a client of the agent's endpoints: it may use the models of the data that it reads there.
    files: ['packages/*/page/**/*.ts'],
    plugins: { '@nx': nx },
    rules: { '@nx/enforce-module-boundaries': layers(['layer:subsystem']) },
  },
  {
    files: ['tools/**/*.config.ts', 'packages/*/page/*.config.ts', 'tools/lint/*.js'],
    rules: { 'no-restricted-exports': 'off' },
  },
);
