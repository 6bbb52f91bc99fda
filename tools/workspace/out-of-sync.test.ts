import { describe, expect, it } from 'vitest';
import { outOfSync } from './out-of-sync.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

const WORKSPACE = {
  'package.json': JSON.stringify({ name: 'workspace', devDependencies: { yaml: '2.0.0' } }),
  'packages/b/package.json': JSON.stringify({ name: '@rxlet/b', version: '1.0.0', type: 'module' }),
  'packages/b/tsconfig.build.json': JSON.stringify({ references: [] }),
  'packages/b/tsconfig.json': JSON.stringify({ extends: '../../tsconfig.json', include: ['src'] }),
  'packages/b/src/index.ts': 'export {};',
};

/** Files in memory, with their paths as keys. */
function inMemory(contents: Readonly<Record<string, string>>): WorkspaceFiles {
  const paths = Object.keys(contents);
  return {
    exists: (path) => paths.some((file) => file === path || file.startsWith(`${path}/`)),
    isFile: (path) => path in contents,
    children: (folder) => [
      ...new Set(
        paths
          .filter((file) => file.startsWith(`${folder}/`))
          .map((file) => file.slice(folder.length + 1).split('/')[0]!),
      ),
    ],
    read: (path) => contents[path] ?? null,
  };
}

const changesOf = async (contents: Readonly<Record<string, string>>): Promise<Record<string, unknown>> =>
  Object.fromEntries([...(await outOfSync(inMemory(contents)))].map(([path, content]) => [path, JSON.parse(content)]));

describe('outOfSync', () => {
  it('returns nothing for a workspace that states its dependencies', async () => {
    expect(await changesOf(WORKSPACE)).toEqual({});
  });

  it('derives the files of a package from its imports', async () => {
    const changes = await changesOf({
      ...WORKSPACE,
      'packages/a/package.json': JSON.stringify({ name: '@rxlet/a', version: '1.0.0', type: 'module' }),
      'packages/a/tsconfig.build.json': JSON.stringify({ include: ['src'], references: [] }),
      'packages/a/src/deep/index.ts': "import '@rxlet/b'; import 'yaml';",
    });
    expect(changes).toEqual({
      'packages/a/package.json': {
        name: '@rxlet/a',
        version: '1.0.0',
        type: 'module',
        dependencies: { '@rxlet/b': '1.0.0', yaml: '^2.0.0' },
      },
      'packages/a/tsconfig.build.json': {
        include: ['src'],
        references: [{ path: '../../packages/b/tsconfig.build.json' }],
      },
      'packages/a/tsconfig.json': { extends: '../../tsconfig.json', include: ['src'] },
    });
  });

  it('carries the origin of the workspace to published packages', async () => {
    const origin = {
      repository: { type: 'git', url: 'git+https://host/repository.git' },
      bugs: { url: 'https://host/issues' },
    };
    const manifest = { name: '@rxlet/b', version: '1.0.0', type: 'module' };
    const contents = { ...WORKSPACE, 'package.json': JSON.stringify({ name: 'workspace', ...origin }) };
    expect(await changesOf(contents)).toEqual({
      'packages/b/package.json': {
        ...manifest,
        repository: { ...origin.repository, directory: 'packages/b' },
        bugs: origin.bugs,
      },
    });
    const privately = JSON.stringify({ ...manifest, private: true });
    expect(await changesOf({ ...contents, 'packages/b/package.json': privately })).toEqual({});
  });

  it('rejects a test whose import depends on its package', async () => {
    const kit = {
      'packages/kit/package.json': JSON.stringify({ name: '@rxlet/kit', version: '1.0.0', type: 'module' }),
      'packages/kit/src/index.ts': "import '@rxlet/b';",
    };
    await expect(
      changesOf({ ...WORKSPACE, ...kit, 'packages/b/src/b.test.ts': "import '@rxlet/kit';" }),
    ).rejects.toThrow(
      'packages/b/src/b.test.ts imports @rxlet/kit, which depends on @rxlet/b; tests of whole agents belong into packages/testing/src/scenarios',
    );
  });
});
