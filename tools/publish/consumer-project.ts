import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBlocks } from '../readme/readme-blocks.ts';
import type { Tarball } from './pack.ts';
import { runCommand } from './run-command.ts';
import { workspaceRoot } from '../workspace/workspace-files.ts';
import { readManifest } from '../workspace/workspace-packages.ts';

const { devDependencies = {} } = readManifest(workspaceRoot);

/** Options of {@link createConsumer}. */
export interface ConsumerOptions {
  /** Further packages of the registry. Default: none. */
  readonly others?: Readonly<Record<string, string>>;
  /** Also installs the optional peers of the tarballs. Default: true. */
  readonly optionalPeers?: boolean;
}

/** Makes an empty project in `folder` and installs some of the tarballs, with the others at hand as their dependencies. */
export async function createConsumer(
  folder: string,
  installed: readonly Tarball[],
  all: readonly Tarball[],
  { others = {}, optionalPeers = true }: ConsumerOptions = {},
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const urls = Object.fromEntries(all.map(({ manifest, path }) => [manifest.name, `file:${path}`]));
  const peers = optionalPeers ? optionalPeersOf(installed) : {};
  const names = [...installed.map(({ manifest: { name } }) => name), ...Object.keys(peers)];
  const direct = Object.fromEntries(names.map((name) => [name, urls[name] ?? peers[name]]));
  const project = {
    private: true,
    type: 'module',
    dependencies: { ...direct, ...others },
    overrides: Object.fromEntries(Object.keys(urls).map((name) => [name, name in direct ? `$${name}` : urls[name]])),
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(project, null, 2));
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel', 'error'];
  await runCommand('npm', ['install', ...flags], folder);
}

/** Optional peers, which npm does not install by itself; types only count where there is a compiler. */
function optionalPeersOf(tarballs: readonly Tarball[]): Record<string, string> {
  return Object.fromEntries(
    tarballs.flatMap(({ manifest: { peerDependencies = {}, peerDependenciesMeta = {} } }) =>
      Object.entries(peerDependencies).filter(
        ([name]) => peerDependenciesMeta[name]?.optional === true && !name.startsWith('@types/'),
      ),
    ),
  );
}

/** The compiler and the types that a TypeScript project for Node.js installs. */
export const typeScript: Readonly<Record<string, string>> = {
  typescript: devDependencies['@typescript/native'] ?? '',
  '@types/node': devDependencies['@types/node'] ?? '',
};

/** Returns the entry points of a tarball, e.g. `@rxlet/pod-model/testing`. */
export function specifiersOf({ manifest: { name, exports = {} } }: Tarball): string[] {
  return Object.entries(exports)
    .filter(([, target]) => typeof target !== 'string')
    .map(([subpath]) => name + subpath.slice(1));
}

/** Loads every entry point with `import` and with `require()`. */
export async function loadAll(folder: string, tarball: Tarball): Promise<void> {
  const specifiers = JSON.stringify(specifiersOf(tarball));
  const imports = `for (const name of ${specifiers}) await import(name);`;
  const requires = `for (const name of ${specifiers}) require(name);`;
  await writeFile(join(folder, 'import.js'), imports);
  await writeFile(join(folder, 'require.cjs'), requires);
  await runCommand('node', ['import.js'], folder);
  await runCommand('node', ['require.cjs'], folder);
}

/** Writes a file that imports every entry point and the examples of all READMEs into a project. Returns the examples' file names. */
export async function writeSources(folder: string, tarballs: readonly Tarball[]): Promise<string[]> {
  const specifiers = tarballs.flatMap(specifiersOf);
  const imports = specifiers.map((name, index) => `export * as entry${String(index)} from '${name}';\n`);
  await writeFile(join(folder, 'entry-points.ts'), imports.join(''));
  const examples: string[] = [];
  for (const { manifest, files } of tarballs) {
    for (const { language, code, line } of readBlocks(files.get('README.md') ?? '')) {
      if (language !== 'ts') continue;
      const name = `${manifest.name.replace(/\W+/g, '-').replace(/^-/, '')}-${String(line)}.ts`;
      await writeFile(join(folder, name), `${code}\nexport {};\n`);
      examples.push(name);
    }
  }
  return examples;
}

/** Type-checks the sources of a project, and the declarations that they import, with the compiler's defaults. */
export async function compile(folder: string): Promise<void> {
  const compilerOptions = { module: 'nodenext', types: ['node'], strict: true, noEmit: true };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await runCommand('npx', ['--no-install', 'tsc', '--project', '.'], folder);
}
