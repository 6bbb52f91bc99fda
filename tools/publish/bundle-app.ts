import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { workspaceRoot } from '../workspace/workspace-files.ts';
import { asciiSource } from './ascii-source.ts';
import { BUNDLE_OUTPUT } from './bundle-output.ts';
import { writeLauncher } from './launcher/write-launcher.ts';

/** Adds the modules that run in threads, which no module imports: `new URL(`./NAME-worker${extension}`, import.meta.url)` becomes `NAME-worker.cjs`. */
const threads: Plugin = {
  name: 'threads',
  transform(code, module) {
    for (const [, name] of code.matchAll(/new URL\(`\.\/([\w-]+-worker)\$\{/g)) {
      this.emitFile({ type: 'chunk', id: join(dirname(module), `${name!}.ts`), fileName: `${name!}.cjs` });
    }
  },
};

/**
 * Bundles `<folder>/src/main.ts` and everything it imports into `<folder>/dist`, to be run as `dist/main.cjs`; dynamic imports become files of their own. The modules
 * are CommonJS, because Node gives access to the code that V8 has compiled for them.
 */
export async function bundleApp(folder: string): Promise<void> {
  const dist = join(folder, 'dist');
  const bundle = await rolldown({
    cwd: workspaceRoot,
    input: { app: join(folder, 'src/main.ts') },
    platform: 'node',
    plugins: [threads],
    resolve: {
      conditionNames: ['@rxlet/source', 'node', 'import', 'module', 'default'],
      // Under the condition "node" rxjs is CommonJS, of which a bundle cannot omit unused parts.
      alias: { rxjs: join(workspaceRoot, 'node_modules/rxjs/dist/esm/index.js') },
    },
  });
  await rm(dist, { recursive: true, force: true });
  const { output } = await bundle.write({
    dir: dist,
    ...BUNDLE_OUTPUT,
    // Code that was recorded for a chunk is right for every chunk of that name.
    entryFileNames: '[name]-[hash].cjs',
    chunkFileNames: '[name]-[hash].cjs',
  });
  await bundle.close();
  for (const chunk of output) {
    if (chunk.type === 'chunk') await writeFile(join(dist, chunk.fileName), asciiSource(chunk.code));
  }
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  await writeLauncher(dist, output.find((chunk) => chunk.type === 'chunk' && chunk.name === 'app')!.fileName);
  await writeFile(join(dist, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(modules));
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
