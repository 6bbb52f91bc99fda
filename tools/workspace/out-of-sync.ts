import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { listedPackages } from './listed-packages.ts';
import { withOrigin } from './package-origin.ts';
import { readSourceImports } from './source-imports.ts';
import { syncedManifest } from './synced-manifest.ts';
import { rejectCycles } from './reject-cycles.ts';
import { readJson, type WorkspaceFiles, workspaceRoot } from './workspace-files.ts';
import { type Manifest, readWorkspacePackages, type WorkspacePackage } from './workspace-packages.ts';

/**
 * Returns the files that contradict the imports of the sources, the metadata of the workspace or its packages, with their correct content.
 *
 * @throws Error when packages import each other in a cycle
 */
export async function outOfSync(files: WorkspaceFiles): Promise<Map<string, string>> {
  const packages = readWorkspacePackages(files);
  const changes = new Map<string, string>();
  const compare = async (path: string, current: object, wanted: object): Promise<void> => {
    if (isDeepStrictEqual(current, wanted)) return;
    changes.set(path, await formatted(path, JSON.stringify(wanted, null, 2)));
  };
  const imports = new Map(packages.map(({ folder }) => [folder, readSourceImports(folder, files)]));
  rejectCycles(packages, imports);
  const manifests = syncedManifests(packages, imports, readJson(files, 'package.json') as Manifest);
  for (const { folder, manifest } of packages) {
    await compare(`${folder}/package.json`, manifest, manifests.get(manifest.name)!);
  }
  const built = packages.filter(({ folder }) => files.exists(`${folder}/tsconfig.build.json`));
  for (const { folder, manifest } of built) {
    const { production } = imports.get(folder)!;
    const referenced = built.filter(({ manifest: { name } }) => name !== manifest.name && production.has(name));
    const path = `${folder}/tsconfig.build.json`;
    const tsconfig = readJson(files, path);
    const references = referenced.map((other) => ({ path: `../../${other.folder}/tsconfig.build.json` }));
    await compare(path, tsconfig, { ...tsconfig, references });
  }
  const tools = files.children('tools').map((name) => `tools/${name}`);
  const projects = tools.filter((folder) => files.exists(`${folder}/project.json`));
  for (const folder of [...packages.map(({ folder }) => folder), ...projects]) {
    const path = `${folder}/tsconfig.json`;
    const include = files.exists(`${folder}/src`) ? ['src'] : ['.'];
    const current = files.exists(path) ? readJson(files, path) : {};
    await compare(path, current, { extends: '../../tsconfig.json', include });
  }
  for (const [path, content] of listedPackages(files, packages)) {
    const wanted = await formatted(path, content);
    if (wanted !== files.read(path, 'utf8')) changes.set(path, wanted);
  }
  return changes;
}

/** Formats a file as `npm run format` does. */
async function formatted(path: string, content: string): Promise<string> {
  const filepath = join(workspaceRoot, path);
  return format(content, { ...(await resolveConfig(filepath)), filepath });
}

/** Returns the correct package.json of each package by its name. */
function syncedManifests(
  packages: readonly WorkspacePackage[],
  imports: ReadonlyMap<string, ReturnType<typeof readSourceImports>>,
  workspace: Manifest,
): Map<string, Manifest> {
  const manifests = new Map(packages.map(({ manifest }) => [manifest.name, manifest]));
  const versions = knownVersions([...manifests.values(), workspace]);
  // Peers are inherited through dependencies of any depth: a second pass sees those that the first one added.
  for (let pass = 0, changed = true; changed && pass < packages.length; pass += 1) {
    changed = false;
    for (const {
      folder,
      manifest: { name },
    } of packages) {
      const current = manifests.get(name)!;
      const wanted = withOrigin(syncedManifest(current, imports.get(folder)!, manifests, versions), folder, workspace);
      if (isDeepStrictEqual(current, wanted)) continue;
      manifests.set(name, wanted);
      changed = true;
    }
  }
  return manifests;
}

/** The version that the workspace uses of each third-party package, without the sign of a range. */
function knownVersions(manifests: readonly Manifest[]): Map<string, string> {
  const versions = new Map<string, string>();
  for (const { dependencies, devDependencies } of manifests) {
    for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies }))
      versions.set(name, range.replace(/^\^/, ''));
  }
  return versions;
}
