import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleProgram } from '../bundle/bundle-program.ts';
import { workspaceRoot } from '../workspace/workspace-files.ts';
import { buildPage } from './build-page.ts';
import { pageLibraries } from './page-libraries.ts';

/**
 * Bundles `<folder>/src/main.ts` into `<target>/dist`, to be run as `dist/main.cjs`, and the pages of its packages into `<target>/static`. Returns the paths
 * of the modules, and those of the `package.json` of each library in a page.
 *
 * @param target default: `folder`
 */
export async function bundleApp(folder: string, target: string = folder): Promise<readonly string[]> {
  const dist = join(target, 'dist');
  const bundled = await bundleProgram(join(folder, 'src/main.ts'), dist);
  const pages = pageOwners(bundled);
  const modules = [...bundled, ...pages.flatMap(pageLibraries).map((library) => join(library, 'package.json'))];
  await writeFile(join(dist, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(modules));
  for (const owner of pages) await copyPage(owner, target);
  return modules;
}

/** Returns the packages with a page in the browser that a bundle contains. */
function pageOwners(modules: readonly string[]): readonly string[] {
  const folders = modules.flatMap((module) => /^(.*\/packages\/[^/]+)\/src\//.exec(module)?.[1] ?? []);
  return [...new Set(folders)].filter((folder) => existsSync(join(folder, 'page')));
}

/** Puts the built page of a package beside the bundle, where the package looks for it. */
async function copyPage(owner: string, folder: string): Promise<void> {
  buildPage(owner);
  const page = join(folder, 'static');
  await rm(page, { recursive: true, force: true });
  await cp(join(owner, 'static'), page, { recursive: true });
}

/** Returns the license texts of all packages that `modules` are from. */
export function thirdPartyNotices(modules: readonly string[]): string {
  const notices = new Map<string, string>();
  for (const module of modules) {
    const folder = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1];
    if (folder === undefined) continue;
    const { name, version, license } = readPackage(folder);
    const title = `${name} ${version} (${license ?? 'license unknown'})`;
    if (!notices.has(title)) notices.set(title, licenseText(folder));
  }
  return [...notices]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, text]) => `${title}\n${'-'.repeat(title.length)}\n\n${text.trim()}\n`)
    .join('\n\n');
}

function readPackage(folder: string): { name: string; version: string; license?: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ReturnType<typeof readPackage>;
}

function licenseText(folder: string): string {
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)(\.|$)/i.test(name));
  return file === undefined ? 'The package has no license file.' : readFileSync(join(folder, file), 'utf8');
}

if (import.meta.main) {
  const folder = join(workspaceRoot, process.argv[2] ?? '');
  if (process.argv[2] === undefined || !existsSync(join(folder, 'src/main.ts'))) {
    process.stderr.write('usage: node tools/publish/bundle-app.ts FOLDER, where FOLDER has src/main.ts\n');
    process.exitCode = 2;
  } else {
    await bundleApp(folder);
  }
}
