import { cleanPath } from '../payload/downward-api-payload.ts';
import type { Payload } from '../payload/payload.ts';

const MAX_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;

/** A payload with a path that does not stay below the volume, or that no file system accepts. */
export class PayloadPathError extends Error {
  override readonly name = 'PayloadPathError';
}

/** Returns a payload with cleaned paths. @throws PayloadPathError */
export function checkPayloadPaths(payload: Payload): Payload {
  return new Map(
    [...payload].map(([path, file]) => {
      checkPath(path);
      return [cleanPath(path), file];
    }),
  );
}

function checkPath(path: string): void {
  if (path === '') throw new PayloadPathError('invalid path: must not be empty: ""');
  if (path.startsWith('/')) throw new PayloadPathError(`invalid path: must be relative path: ${path}`);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new PayloadPathError(`invalid path: must be less than or equal to ${String(MAX_PATH_BYTES)} characters`);
  const names = path.split('/');
  if (names.includes('..')) throw new PayloadPathError(`invalid path: must not contain '..': ${path}`);
  if (names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)) {
    const limit = String(MAX_NAME_BYTES);
    throw new PayloadPathError(`invalid path: filenames must be less than or equal to ${limit} characters`);
  }
  if (names[0]!.startsWith('..')) throw new PayloadPathError(`invalid path: must not start with '..': ${path}`);
}
