import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesOnDisk, readJson, type WorkspaceFiles } from './workspace-files.ts';

/** Fields of a package.json that matter for publishing. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly license?: string;
  readonly author?: string;
  /** Where the sources are; the workspace's package.json states it for all packages. */
  readonly repository?: { readonly type: string; readonly url: string; readonly directory?: string };
  /** Where bugs are reported; the workspace's package.json states it for all packages. */
  readonly bugs?: Readonly<Record<string, string>>;
  readonly homepage?: string;
  readonly type?: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly files?: readonly string[];
  readonly publishConfig?: Readonly<Record<string, unknown>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly nx?: { readonly tags?: readonly string[] };
}

/** A package of the workspace. */
export interface WorkspacePackage {
  /** Folder relative to the workspace root, e.g. `packages/pleg`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Returns every package, app and tool that has a package.json, sorted by folder. */
export function readWorkspacePackages(files: WorkspaceFiles = filesOnDisk): WorkspacePackage[] {
  return ['packages', 'apps', 'tools']
    .flatMap((parent) => files.children(parent).map((name) => `${parent}/${name}`))
    .filter((folder) => files.exists(`${folder}/package.json`))
    .sort()
    .map((folder) => ({ folder, manifest: readJson(files, `${folder}/package.json`) as Manifest }));
}

/** Reads the package.json of a folder, which may be outside of the workspace. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Reports whether a package is published as a bundle of all it imports. */
export function isBundled({ bin }: Manifest): boolean {
  return bin !== undefined;
}
