import type { Manifest } from './workspace-packages.ts';

/**
 * Returns the package.json of a published package with the places of its sources and of bug reports, as the workspace's package.json states them once for all
 * packages. Fields that the workspace does not state are left out.
 */
export function withOrigin(manifest: Manifest, folder: string, { repository, bugs, homepage }: Manifest): Manifest {
  const { repository: _, bugs: __, homepage: ___, ...rest } = manifest;
  if (manifest.private === true) return rest;
  const origin = {
    ...(homepage !== undefined && { homepage }),
    ...(repository && { repository: { ...repository, directory: folder } }),
    ...(bugs && { bugs }),
  };
  // Where npm's documentation has them: before the fields that say what the package contains.
  const fields = Object.entries(rest);
  const position = fields.findIndex(([name]) => name === 'type');
  return Object.fromEntries(fields.toSpliced(position, 0, ...Object.entries(origin))) as unknown as Manifest;
}
