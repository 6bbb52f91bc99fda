import { accessSync, constants } from 'node:fs';

/** Reports whether a path is a file that this process may execute. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
