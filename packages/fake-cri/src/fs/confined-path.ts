import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Directories to which a runtime is confined, or the only one. */
export type SandboxRoots = string | readonly string[];

/** A path leads out of the directories to which a runtime is confined. */
export class OutsideSandboxError extends Error {
  override readonly name = 'OutsideSandboxError';

  constructor(path: string, roots: SandboxRoots) {
    super(`${path} is outside of the sandbox root ${[roots].flat().join(', ')} (--sandbox-root of fake-runtime)`);
  }
}

/**
 * Returns the real path of `path`, which may not exist yet: symbolic links are resolved in its existing part. Throws {@link OutsideSandboxError} when that
 * is neither one of `roots` nor below one.
 */
export function confinedPath(roots: SandboxRoots, path: string): string {
  const real = resolveExisting(path);
  const isBelow = (root: string): boolean => real === root || real.startsWith(root === '/' ? '/' : `${root}/`);
  if ([roots].flat().map(resolveExisting).some(isBelow)) return real;
  throw new OutsideSandboxError(path, roots);
}

function resolveExisting(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    return join(resolveExisting(dirname(path)), basename(path));
  }
}
