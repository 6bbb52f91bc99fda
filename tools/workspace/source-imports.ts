import { builtinModules } from 'node:module';
import ts from 'typescript';
import type { WorkspaceFiles } from './workspace-files.ts';

/** Package names that the sources of a package import, and the files that import them. */
export interface SourceImports {
  readonly production: ReadonlyMap<string, string>;
  readonly test: ReadonlyMap<string, string>;
}

/** Folder of the sources of a page in the browser. Their imports become part of the built page and are not installed with the package. */
const PAGE = 'page';

/** Reads the package imports of all sources of a package; each package name maps to one file that imports it. */
export function readSourceImports(folder: string, files: WorkspaceFiles): SourceImports {
  const production = new Map<string, string>();
  const test = new Map<string, string>();
  for (const path of filesBelow(files.exists(`${folder}/src`) ? `${folder}/src` : folder, files)) {
    if (!/\.[cm]?ts$/.test(path)) continue;
    const imports = isTestFile(path.slice(folder.length)) ? test : production;
    for (const name of packageImports(files.read(path, 'utf8') ?? '')) imports.set(name, path);
  }
  for (const path of files.exists(`${folder}/src`) ? filesBelow(`${folder}/${PAGE}`, files) : []) {
    if (!/\.ts$/.test(path)) continue;
    for (const name of packageImports(files.read(path, 'utf8') ?? '')) test.set(name, path);
  }
  return { production, test };
}

function filesBelow(folder: string, files: WorkspaceFiles): string[] {
  return files.children(folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    return files.isFile(path) ? [path] : name === 'node_modules' ? [] : filesBelow(path, files);
  });
}

/** Reports whether a file belongs to tests and is left out of builds. */
export function isTestFile(path: string): boolean {
  return /\.test\.ts$|(^|\/)test-support/.test(path);
}

/** Returns the names of the packages that a module imports; built-in modules and relative paths are left out. */
export function packageImports(source: string): string[] {
  const names = ts
    .preProcessFile(source, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((specifier) => !/^(\.|\/|node:)/.test(specifier) && !builtinModules.includes(specifier))
    .map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
  return [...new Set(names)].sort();
}
