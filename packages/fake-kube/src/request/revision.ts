import { ApiError } from '../api-error.ts';
import type { ObjectStore } from '../store/object-store.ts';

/** Reads a `resourceVersion` parameter; `undefined` when it is absent. @throws ApiError for text that is no version, and for one that the server does not have yet */
export function parseRevision(store: Pick<ObjectStore, 'revision'>, text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  if (!/^\d+$/.test(text)) {
    throw new ApiError(
      'BadRequest',
      `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: invalid syntax`,
    );
  }
  const revision = Number(text);
  if (revision <= store.revision) return revision;
  throw new ApiError('Timeout', `Timeout: Too large resource version: ${text}, current: ${String(store.revision)}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}
