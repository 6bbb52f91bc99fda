import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Disks give files whole blocks of this size. */
const BLOCK_BYTES = 4096;
const MEGABYTE = 2 ** 20;

/** Packages in a `node_modules` folder, and their size on disk. */
export interface InstalledSize {
  /** Names in order, without duplicates of other versions. */
  readonly packages: readonly string[];
  /** Size in MB (1,048,576 bytes), in blocks of the disk. */
  readonly megabytes: number;
}

/** Limit of an installation. */
export interface SizeLimit {
  readonly packages: number;
  readonly megabytes: number;
  /** Names of packages that it must not contain. */
  readonly without: readonly string[];
}

/** Measures the installation of a project. */
export function installedSize(project: string): InstalledSize {
  const modules = join(project, 'node_modules');
  const names = new Set<string>();
  let blocks = 0;
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) blocks += 1;
    if (!entry.isFile()) continue;
    blocks += Math.ceil(statSync(path).size / BLOCK_BYTES);
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(path) ?? [];
    if (name !== undefined) names.add(name);
  }
  return { packages: [...names].sort(), megabytes: (blocks * BLOCK_BYTES) / MEGABYTE };
}

/** Returns how an installation exceeds its limit. */
export function sizeProblems({ packages, megabytes }: InstalledSize, limit: SizeLimit): string[] {
  const excess = [];
  if (packages.length > limit.packages)
    excess.push(
      `installs ${String(packages.length)} packages, at most ${String(limit.packages)}: ${packages.join(' ')}`,
    );
  if (megabytes > limit.megabytes)
    excess.push(`installs ${megabytes.toFixed(1)} MB, at most ${String(limit.megabytes)}`);
  const unwanted = packages.filter((name) => limit.without.includes(name));
  if (unwanted.length > 0) excess.push(`installs ${unwanted.join(' ')}`);
  return excess;
}
