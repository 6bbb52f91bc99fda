import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TarEntry } from '@rxlet/test-containerd/tar';
import { bundleApp } from '../../publish/bundle-app.ts';
import { workspaceRoot } from '../../workspace/workspace-files.ts';
import { readManifest } from '../../workspace/workspace-packages.ts';
import type { NodeBinary } from './node-binary.ts';
import type { PackagedProgram } from './programs.ts';

/** A bundled program. */
export interface BundledProgram {
  readonly program: PackagedProgram;
  /** Its files; paths are relative to the folder of the program, such as `dist/main.cjs`. */
  readonly files: readonly TarEntry[];
  /** Licenses of the libraries in the bundle. */
  readonly notices: string;
  /** Folders of the libraries in the bundle. */
  readonly libraries: readonly string[];
}

/** Bundles a program, without Node.js and its package.json. */
export async function bundle(program: PackagedProgram): Promise<BundledProgram> {
  const source = join(workspaceRoot, program.folder);
  // Apart from the sources, where others build at the same time.
  const target = await mkdtemp(join(tmpdir(), 'rxlet-package-'));
  try {
    const modules = await bundleApp(source, target);
    const notices = join(target, 'dist/THIRD-PARTY-NOTICES.txt');
    const text = await readFile(notices, 'utf8');
    await rm(notices);
    return {
      program,
      notices: text,
      libraries: librariesOf(modules),
      files: [
        { type: 'directory', path: 'bin' },
        { ...(await fileEntry(source, `bin/${program.command}`)), mode: 0o755 },
        await fileEntry(source, 'bin/require-node.cjs'),
        ...(await folderEntries(target, 'dist')),
        ...(existsSync(join(target, 'static')) ? await folderEntries(target, 'static') : []),
      ],
    };
  } finally {
    await rm(target, { recursive: true });
  }
}

/**
 * Returns all files of an installed program, in `/usr/lib/<name>` with a link in `/usr/bin`. Compiled code goes to `/var/cache/<name>`, because programs do not change `/usr`.
 */
export function programFiles({ program, files }: BundledProgram, node: NodeBinary, version: string): TarEntry[] {
  const { name, command } = program;
  const home = `usr/lib/${name}`;
  const { license } = readManifest(join(workspaceRoot, program.folder));
  return [
    { type: 'directory', path: 'usr' },
    { type: 'directory', path: 'usr/bin' },
    { type: 'symlink', path: `usr/bin/${command}`, target: `../lib/${name}/bin/${command}` },
    { type: 'directory', path: 'usr/lib' },
    { type: 'directory', path: home },
    { type: 'file', path: `${home}/package.json`, content: `${JSON.stringify({ name, version, license }, null, 2)}\n` },
    ...files.map((file) => ({ ...file, path: `${home}/${file.path}` })),
    { type: 'file', path: `${home}/bin/node`, mode: 0o755, content: node.content },
    { type: 'symlink', path: `${home}/dist/.code-cache`, target: `/var/cache/${name}` },
    { type: 'directory', path: 'var' },
    { type: 'directory', path: 'var/cache' },
    { type: 'directory', path: `var/cache/${name}` },
  ];
}

/** Returns the entries of a folder of `root`, itself included, in a fixed order; their paths are relative to `root`. */
export async function folderEntries(root: string, folder: string): Promise<TarEntry[]> {
  const children = await readdir(join(root, folder), { withFileTypes: true });
  const sorted = children.toSorted(({ name: a }, { name: b }) => (a < b ? -1 : 1));
  const entries: TarEntry[] = [{ type: 'directory', path: folder }];
  for (const child of sorted) {
    const path = `${folder}/${child.name}`;
    entries.push(...(child.isDirectory() ? await folderEntries(root, path) : [await fileEntry(root, path)]));
  }
  return entries;
}

async function fileEntry(root: string, path: string): Promise<TarEntry & { readonly type: 'file' }> {
  return { type: 'file', path, content: await readFile(join(root, path)) };
}

function librariesOf(modules: readonly string[]): readonly string[] {
  const folders = modules.flatMap((module) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? []);
  return [...new Set(folders)].sort();
}
