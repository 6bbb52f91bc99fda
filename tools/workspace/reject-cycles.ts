import type { SourceImports } from './source-imports.ts';
import type { WorkspacePackage } from './workspace-packages.ts';

/**
 * Checks that no package imports one that depends on it. nx builds, before it lints a package, all that its sources and tests import, so tests count too.
 *
 * @throws Error that names the file and the import
 */
export function rejectCycles(packages: readonly WorkspacePackage[], imports: ReadonlyMap<string, SourceImports>): void {
  const folders = new Map(packages.map(({ folder, manifest }) => [manifest.name, folder]));
  for (const { folder, manifest } of packages) {
    const { production, test } = imports.get(folder)!;
    for (const [name, file] of [...production, ...test]) {
      if (name === manifest.name || !builtWith(name, folders, imports).has(manifest.name)) continue;
      const hint = test.has(name) ? '; tests of whole agents belong into packages/testing/src/scenarios' : '';
      throw new Error(`${file} imports ${name}, which depends on ${manifest.name}${hint}`);
    }
  }
}

/** Returns the names of the packages that a build of a package includes. */
function builtWith(
  name: string,
  folders: ReadonlyMap<string, string>,
  imports: ReadonlyMap<string, SourceImports>,
): ReadonlySet<string> {
  const found = new Set([name]);
  for (const each of found)
    for (const next of imports.get(folders.get(each) ?? '')?.production.keys() ?? [])
      if (folders.has(next)) found.add(next);
  return found;
}
