import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTestFile, packageImports } from '../workspace/source-imports.ts';
import { workspaceRoot } from '../workspace/workspace-files.ts';
import { readManifest } from '../workspace/workspace-packages.ts';

/** Returns the folders of the libraries in the page of a package, and of those that they depend on. Packages of the workspace and types are left out. */
export function pageLibraries(owner: string): readonly string[] {
  const sources = globSync('page/src/**/*.ts', { cwd: owner }).filter((path) => !isTestFile(path));
  const pending = sources.flatMap((path) => packageImports(readFileSync(join(owner, path), 'utf8')));
  const folders = new Set<string>();
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const folder = join(workspaceRoot, 'node_modules', name);
    if (/^@(rxlet|types)\//.test(name) || folders.has(folder)) continue;
    folders.add(folder);
    pending.push(...Object.keys(readManifest(folder).dependencies ?? {}));
  }
  return [...folders].sort();
}
