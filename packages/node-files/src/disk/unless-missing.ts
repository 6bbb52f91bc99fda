import { systemErrorCode } from '../errors.ts';

/** Resolves to the outcome of a call for a path; `undefined` when the path leads to nothing. */
export async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
