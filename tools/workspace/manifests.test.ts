import { describe, expect, it } from 'vitest';
import { manifestProblems } from './manifest-problems.ts';
import { outOfSync } from './out-of-sync.ts';
import { packageFiles } from './package-files.ts';
import { packageImports } from './source-imports.ts';
import { syncedManifest } from './synced-manifest.ts';
import { filesOnDisk } from './workspace-files.ts';
import { type Manifest, readWorkspacePackages } from './workspace-packages.ts';

const packages = readWorkspacePackages();

describe('the workspace', () => {
  it.each(packages)('$folder has the metadata that publishing needs', ({ manifest }) => {
    expect(manifestProblems(manifest)).toEqual([]);
  });

  it('declares the dependencies that its sources import (npm run sync updates them)', async () => {
    expect([...(await outOfSync(filesOnDisk)).keys()]).toEqual([]);
  });
});

describe('manifestProblems', () => {
  const { manifest } = packages.find(({ folder }) => folder === 'packages/pleg')!;

  it('rejects exports that require() cannot load', () => {
    const exports = { ...manifest.exports, '.': { types: './dist/index.d.ts', import: './dist/index.js' } };
    expect(manifestProblems({ ...manifest, exports })).toEqual([
      '"exports" of "." must have the conditions @rxlet/source, types, default, in this order',
    ]);
  });

  it('demands less of a private package', () => {
    const { keywords: _, files: __, ...rest } = manifest;
    expect(manifestProblems(rest)).not.toEqual([]);
    expect(manifestProblems({ ...rest, private: true })).toEqual([]);
  });
});

describe('packageFiles', () => {
  const files = packageFiles({ name: 'node-status', layer: 'foundation', description: 'Reports.', version: '1.0.0' });

  it('has the metadata that publishing needs', () => {
    expect(manifestProblems(JSON.parse(files.get('package.json')!) as Manifest)).toEqual([]);
  });

  it('names its parts after the package', () => {
    expect([...files.keys()]).toContain('src/create-node-status.ts');
    expect(files.get('src/index.ts')).toContain('createNodeStatus, type NodeStatus, type NodeStatusPorts');
  });

  it('makes a module with a configuration of a subsystem', () => {
    const subsystem = packageFiles({ name: 'pod-quota', layer: 'subsystem', description: 'Limits.', version: '1.0.0' });
    const created = JSON.parse(subsystem.get('package.json')!) as Manifest;
    expect(manifestProblems(created)).toEqual([]);
    expect(Object.keys(created.exports!)).toEqual(['.', './configuration', './package.json']);
    expect(subsystem.get('src/index.ts')).toContain('podQuota, type PodQuotaOptions');
    expect(subsystem.get('src/configuration.ts')).toContain(
      'podQuotaConfiguration: ModuleConfiguration<PodQuotaOptions>',
    );
  });
});

describe('syncedManifest', () => {
  const library: Manifest = { name: '@rxlet/a', version: '1.0.0' };
  const neighbour: Manifest = {
    name: '@rxlet/b',
    version: '1.0.0',
    peerDependencies: { rxjs: '^7.8.2', 'prom-client': '^15.1.3' },
  };
  const versions = new Map([
    ['rxjs', '7.8.2'],
    ['ws', '8.0.0'],
    ['yaml', '2.0.0'],
  ]);
  const sync = (manifest: Manifest, production: string[], test: string[] = []): Omit<Manifest, 'name' | 'version'> => {
    const imports = (names: string[]): Map<string, string> => new Map(names.map((name) => [name, 'a.ts']));
    const sources = { production: imports(production), test: imports(test) };
    const {
      name: _,
      version: __,
      ...rest
    } = syncedManifest(manifest, sources, new Map([[neighbour.name, neighbour]]), versions);
    return rest;
  };

  it('adds imported packages, and removes others', () => {
    const dependencies = { yaml: '^2.0.0' };
    expect(sync({ ...library, dependencies }, ['ws', '@rxlet/a'])).toEqual({ dependencies: { ws: '^8.0.0' } });
  });

  it('makes libraries of public types peers, with one version for development', () => {
    expect(sync(library, ['rxjs'])).toEqual({
      peerDependencies: { rxjs: '^7.8.2' },
      devDependencies: { rxjs: '7.8.2' },
    });
  });

  it('inherits the peers of a dependency that are not optional', () => {
    expect(sync(library, ['@rxlet/b'])).toEqual({
      dependencies: { '@rxlet/b': '1.0.0' },
      peerDependencies: { rxjs: '^7.8.2' },
    });
  });

  it('keeps a peer that the manifest declares optional, with one version for development', () => {
    const peerDependenciesMeta = { ws: { optional: true }, '@rxlet/b': { optional: true } };
    expect(sync({ ...library, peerDependenciesMeta }, ['@rxlet/b', 'ws'])).toEqual({
      peerDependencies: { '@rxlet/b': '1.0.0', ws: '^8.0.0' },
      peerDependenciesMeta: { '@rxlet/b': { optional: true }, ws: { optional: true } },
      devDependencies: { '@rxlet/b': '1.0.0', ws: '8.0.0' },
    });
  });

  it('declares imports of tests, and types of imported packages, for development', () => {
    const devDependencies = { '@types/ws': '^8.1.0', '@types/yaml': '^2.0.0' };
    expect(sync({ ...library, devDependencies }, ['ws'], ['@rxlet/b', 'vitest', 'ws'])).toEqual({
      dependencies: { ws: '^8.0.0' },
      devDependencies: { '@rxlet/b': '1.0.0', '@types/ws': '^8.1.0' },
    });
  });

  it('declares everything that a bundle contains for development', () => {
    const app: Manifest = { ...library, bin: { a: 'bin/a' } };
    expect(sync(app, ['@rxlet/b', 'ws'])).toEqual({
      bin: { a: 'bin/a' },
      devDependencies: { '@rxlet/b': '1.0.0', ws: '8.0.0' },
    });
  });

  it('rejects an import whose version is not stated anywhere', () => {
    expect(() => sync(library, ['unknown'])).toThrow('no package.json states the version of "unknown"');
  });
});

describe('packageImports', () => {
  it('returns package names without subpaths, built-in modules and relative paths', () => {
    const source = `
      import { a } from '@rxlet/b/testing';
      import type { c } from 'rxjs/operators';
      export * from './d.ts';
      import fs from 'node:fs'; import path from 'path';
      const lazy = await import('yaml');
      // import 'comment';
      const text = "import 'string'";
    `;
    expect(packageImports(source)).toEqual(['@rxlet/b', 'rxjs', 'yaml']);
  });
});
