import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A path leads out of the directory to which a runtime is confined. */
export class OutsideSandboxError extends Error {
  override readonly name = 'OutsideSandboxError';

  constructor(path: string, root: string) {
    super(`${path} is outside of the sandbox root ${root}`);
  }
}

/**
 * Returns the real path of `path`, which may not exist yet: symbolic links are resolved in its existing part. Throws {@link OutsideSandboxError} when that
 * is neither `root` nor below it.
 */
export function confinedPath(root: string, path: string): string {
  const realRoot = realpathSync(root);
  const real = resolveExisting(path);
  if (real === realRoot || real.startsWith(realRoot === '/' ? '/' : `${realRoot}/`)) return real;
  throw new OutsideSandboxError(path, root);
}

function resolveExisting(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    return join(resolveExisting(dirname(path)), basename(path));
  }
}
