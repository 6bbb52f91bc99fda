import { posix } from 'node:path';

/** Returns an absolute path without `.`, `..`, repeated or trailing slashes. A relative path is resolved from the root. */
export function absoluteContainerPath(path: string): string {
  const normalized = posix.normalize(`/${path}`);
  return normalized === '/' ? normalized : normalized.replace(/\/$/, '');
}
