import { posix } from 'node:path';

import { isBundled, type Manifest } from '../workspace/workspace-packages.ts';

/** The files of a tarball: content by path relative to the package. */
export type TarballFiles = ReadonlyMap<string, string>;

/** Returns the missing and the excess files of a tarball. */
export function tarballProblems(manifest: Manifest, files: TarballFiles): string[] {
  const problems: string[] = [];
  for (const path of ['README.md', 'LICENSE', ...entryPoints(manifest), ...shippedWith(manifest)]) {
    const shipped = path.endsWith('/') ? [...files.keys()].some((file) => file.startsWith(path)) : files.has(path);
    if (!shipped) problems.push(`${path} is missing`);
  }
  for (const path of files.keys()) {
    if (/\.(?:tsbuildinfo|map)$|\.test\.|(^|\/)test-support/.test(path)) problems.push(`${path} must not be published`);
  }
  return problems;
}

/** Returns the files that a package.json offers to importers and as commands. */
function entryPoints({ exports = {}, bin = {} }: Manifest): string[] {
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  );
  return [...targets, ...Object.values(bin)].map((path) => posix.normalize(path));
}

/** Returns the problems of each entry of "files"; a pattern or a folder must match at least one file. */
function shippedWith(manifest: Manifest): string[] {
  const folders = (manifest.files ?? []).filter((pattern) => !pattern.startsWith('!')).map((folder) => `${folder}/`);
  return isBundled(manifest) ? [...folders, 'dist/main.cjs', 'dist/THIRD-PARTY-NOTICES.txt'] : folders;
}

/**
 * Returns the libraries that show in the public types of a package without being peer dependencies: their types must be the same ones that the
 * importer uses.
 */
export function publicTypeProblems(manifest: Manifest, files: TarballFiles): string[] {
  const { exports = {}, dependencies = {}, peerDependencies = {} } = manifest;
  const entries = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [] : (target['types'] ?? []),
  );
  const libraries = new Map<string, string>();
  const visited = new Set<string>();
  const visit = (path: string): void => {
    if (visited.has(path)) return;
    visited.add(path);
    const content = (files.get(path) ?? '').replace(/\/\*[\s\S]*?\*\//g, '');
    if (/\bNodeJS\.|\bBuffer\b/.test(content)) libraries.set('@types/node', path);
    for (const [, specifier = ''] of content.matchAll(/(?:from|import\() ?["']([^"']+)["']/g)) {
      if (specifier.startsWith('.')) {
        visit(posix.join(posix.dirname(path), specifier.replace(/\.js$/, '.d.ts').replace(/(?<!\.d)\.ts$/, '.d.ts')));
      } else {
        const name = specifier.startsWith('node:') ? '@types/node' : packageOf(specifier);
        libraries.set(name, path);
      }
    }
  };
  for (const entry of entries) visit(posix.normalize(entry));
  return [...libraries]
    .filter(([name]) => name !== manifest.name && !(name in peerDependencies))
    .filter(([name]) => !(name.startsWith('@rxlet/') && name in dependencies))
    .map(([name, path]) => `${path} shows types of "${name}", which is not a peer dependency`);
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
