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
 * Bundles the module `entry` and everything it imports into `folder`, which is emptied before, to be run as `main.cjs`; dynamic imports become files of their own. The
 * modules are CommonJS, because Node gives access to the code that V8 has compiled for them.
 *
 * @returns the paths of the modules
 */
export async function bundleProgram(entry: string, folder: string): Promise<readonly string[]> {
  const bundle = await rolldown({
    cwd: workspaceRoot,
    input: { app: entry },
    platform: 'node',
    // Native code, which `ws` uses where it is installed.
    external: ['bufferutil'],
    plugins: [threads],
    resolve: {
      conditionNames: ['@rxlet/source', 'node', 'import', 'module', 'default'],
      // Under the condition "node" rxjs is CommonJS, of which a bundle cannot omit unused parts.
      alias: { rxjs: join(workspaceRoot, 'node_modules/rxjs/dist/esm/index.js') },
    },
  });
  await rm(folder, { recursive: true, force: true });
  const { output } = await bundle.write({
    dir: folder,
    ...BUNDLE_OUTPUT,
    // Code that was recorded for a chunk is right for every chunk of that name.
    entryFileNames: '[name]-[hash].cjs',
    chunkFileNames: '[name]-[hash].cjs',
  });
  await bundle.close();
  for (const chunk of output) {
    if (chunk.type === 'chunk') await writeFile(join(folder, chunk.fileName), asciiSource(chunk.code));
  }
  await writeLauncher(folder, output.find((chunk) => chunk.type === 'chunk' && chunk.name === 'app')!.fileName);
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}
