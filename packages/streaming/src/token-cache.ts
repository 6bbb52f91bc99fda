import type { Clock, Random } from '@rxlet/component-base';
import { ServiceError, StatusCode } from '@rxlet/cri-api';

/** Validity of a token, as in the streaming server that runtimes share. */
export const TOKEN_TTL_MS = 60_000;
/** Maximum number of pending tokens, likewise. */
export const MAX_TOKENS = 1000;
/** Size of a token: 128 bits cannot be guessed. */
const TOKEN_BYTES = 16;

/** Requests that wait for their clients, each under a token that is valid once. */
export interface TokenCache<T> {
  /** Stores `request`. @returns its token. Throws ResourceExhausted while too many wait. */
  insert(request: T): string;
  /** Removes and returns the request of `token`; `undefined` for an unknown, used or expired token. */
  consume(token: string): T | undefined;
}

/** Creates a {@link TokenCache}. It needs no timer: expired tokens are dropped with the next call. */
export function createTokenCache<T>(clock: Clock, random: Random): TokenCache<T> {
  /** Oldest first; since all are valid equally long, the oldest expires first. */
  const waiting = new Map<string, { readonly request: T; readonly expiresMs: number }>();
  const dropExpired = (): void => {
    const nowMs = clock.monotonicNow();
    for (const [token, { expiresMs }] of waiting) {
      if (expiresMs > nowMs) return;
      waiting.delete(token);
    }
  };
  return {
    insert(request) {
      dropExpired();
      if (waiting.size >= MAX_TOKENS) {
        throw new ServiceError(StatusCode.ResourceExhausted, 'maximum number of in-flight requests exceeded');
      }
      const token = random.hex(TOKEN_BYTES);
      waiting.set(token, { request, expiresMs: clock.monotonicNow() + TOKEN_TTL_MS });
      return token;
    },
    consume(token) {
      dropExpired();
      const entry = waiting.get(token);
      waiting.delete(token);
      return entry?.request;
    },
  };
}
