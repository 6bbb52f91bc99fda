import { describe, expect, it } from 'vitest';
import { publicTypeProblems, tarballProblems } from './tarball-problems.ts';
import type { Manifest } from '../workspace/workspace-packages.ts';

const manifest: Manifest = {
  name: '@rxlet/a',
  version: '1.0.0',
  exports: { '.': { '@rxlet/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' } },
  files: ['dist', 'src', '!**/*.test.ts'],
};
const complete = {
  'README.md': '',
  LICENSE: '',
  'dist/index.js': '',
  'dist/index.d.ts': '',
  'src/index.ts': '',
};
const filesOf = (files: Record<string, string | undefined>): Map<string, string> =>
  new Map(Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined));

describe('tarballProblems', () => {
  it('accepts a complete tarball', () => {
    expect(tarballProblems(manifest, filesOf(complete))).toEqual([]);
  });

  it.each<[string, Record<string, string | undefined>, string[]]>([
    ['a missing license', { LICENSE: undefined }, ['LICENSE is missing']],
    ['a missing entry point', { 'dist/index.d.ts': undefined }, ['dist/index.d.ts is missing']],
    ['build records', { 'dist/a.tsbuildinfo': '' }, ['dist/a.tsbuildinfo must not be published']],
    ['tests', { 'src/a.test.ts': '' }, ['src/a.test.ts must not be published']],
    ['test support', { 'src/test-support/a.ts': '' }, ['src/test-support/a.ts must not be published']],
    ['source maps', { 'dist/b.js.map': '' }, ['dist/b.js.map must not be published']],
  ])('reports %s', (_, change, problems) => {
    expect(tarballProblems(manifest, filesOf({ ...complete, ...change }))).toEqual(problems);
  });

  it('reports listed folders and the notices that a bundle misses', () => {
    const app: Manifest = {
      name: 'app',
      version: '1.0.0',
      bin: { app: 'bin/app' },
      files: ['dist', 'bin', 'examples'],
    };
    const files = filesOf({ 'README.md': '', LICENSE: '', 'bin/app': '', 'dist/main.cjs': '' });
    expect(tarballProblems(app, files)).toEqual(['examples/ is missing', 'dist/THIRD-PARTY-NOTICES.txt is missing']);
  });
});

describe('publicTypeProblems', () => {
  const withTypes = (content: string, internal = ''): Map<string, string> =>
    filesOf({ 'dist/index.d.ts': content, 'dist/internal.d.ts': internal });

  it('reports libraries of reachable types that are no peers', () => {
    const files = withTypes(`export * from './internal.js';`, `import type { Observable } from 'rxjs';`);
    const problem = 'dist/internal.d.ts shows types of "rxjs", which is not a peer dependency';
    expect(publicTypeProblems(manifest, files)).toEqual([problem]);
    expect(publicTypeProblems({ ...manifest, dependencies: { rxjs: '7' } }, files)).toEqual([problem]);
    expect(publicTypeProblems({ ...manifest, peerDependencies: { rxjs: '7' } }, files)).toEqual([]);
  });

  it('ignores types that no entry point reaches', () => {
    expect(publicTypeProblems(manifest, withTypes('', `import type { Observable } from 'rxjs';`))).toEqual([]);
  });

  it('counts types of Node.js', () => {
    const problem = 'dist/index.d.ts shows types of "@types/node", which is not a peer dependency';
    expect(publicTypeProblems(manifest, withTypes(`import type { Socket } from 'node:net';`))).toEqual([problem]);
    expect(publicTypeProblems(manifest, withTypes(`export declare const data: Buffer;`))).toEqual([problem]);
  });

  it('accepts packages of the workspace as dependencies', () => {
    const files = withTypes(`import { b } from "@rxlet/b/testing";`);
    expect(publicTypeProblems({ ...manifest, dependencies: { '@rxlet/b': '1.0.0' } }, files)).toEqual([]);
  });
});
