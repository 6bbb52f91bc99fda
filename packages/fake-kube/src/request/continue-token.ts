import { ApiError } from '../api-error.ts';

/** Place at which a list goes on: objects after `after`, as they were at `revision`. */
export interface ContinueToken {
  readonly revision: number;
  readonly after: string;
}

export function encodeContinue({ revision, after }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: after })).toString('base64url');
}

/** @throws ApiError for text that is no token */
export function decodeContinue(token: string): ContinueToken {
  try {
    const { rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString()) as { rv: unknown; start: unknown };
    if (typeof rv === 'number' && typeof start === 'string') return { revision: rv, after: start };
  } catch {
    // Handled below, as any other text that is no token.
  }
  throw new ApiError('BadRequest', 'continue key is not valid: incorrect encoding or content');
}
