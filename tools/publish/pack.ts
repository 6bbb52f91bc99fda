import { readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './run-command.ts';
import type { TarballFiles } from './tarball-problems.ts';
import { workspaceRoot } from '../workspace/workspace-files.ts';
import { type Manifest, readManifest, type WorkspacePackage } from '../workspace/workspace-packages.ts';

/** A packed package. */
export interface Tarball {
  readonly path: string;
  /** Folder with the extracted content. */
  readonly content: string;
  /** The package.json in the tarball. */
  readonly manifest: Manifest;
  readonly files: TarballFiles;
}

/** Packs a package as `npm publish` does, its `prepack` included. Returns the path of the tarball. */
export async function packTarball({ folder }: WorkspacePackage, destination: string): Promise<string> {
  const args = ['pack', '--json', '--loglevel', 'error', '--pack-destination', destination];
  const [packed] = JSON.parse(await runCommand('npm', args, join(workspaceRoot, folder))) as { filename: string }[];
  if (packed === undefined) throw new Error(`npm pack made no tarball of ${folder}`);
  return join(destination, packed.filename);
}

/** Packs a package and extracts the result. */
export async function packPackage(workspacePackage: WorkspacePackage, destination: string): Promise<Tarball> {
  const { folder } = workspacePackage;
  const path = await packTarball(workspacePackage, destination);
  const extracted = join(destination, 'content', folder);
  await mkdir(extracted, { recursive: true });
  await runCommand('tar', ['-xzf', path, '-C', extracted], destination);
  const content = join(extracted, 'package');
  return { path, content, manifest: readManifest(content), files: readFiles(content) };
}

function readFiles(folder: string): TarballFiles {
  const files = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(path.slice(folder.length + 1), readFileSync(path, 'utf8'));
  }
  return files;
}
