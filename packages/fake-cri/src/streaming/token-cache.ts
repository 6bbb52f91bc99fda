import type { Clock, Random } from '@rxlet/component-base';
import { ServiceError, StatusCode } from '@rxlet/cri-api';

/** How long a token is good for, as in the streaming server that runtimes share. */
export const TOKEN_TTL_MS = 60_000;
/** Most tokens that wait for their client, likewise. */
export const MAX_TOKENS = 1000;
/** 64 bits: nobody guesses one within its minute. */
const TOKEN_BYTES = 8;

/** Requests that wait for a client to come for them, each behind a token that works once. */
export interface TokenCache<T> {
  /** Keeps `request`; @returns its token. Throws ResourceExhausted while too many wait. */
  insert(request: T): string;
  /** Takes the request of `token` out; `undefined` when there is none, it was taken before, or its time is over. */
  consume(token: string): T | undefined;
}

/** Creates a {@link TokenCache}. It needs no timer: what is over is dropped with the next call. */
export function createTokenCache<T>(clock: Clock, random: Random): TokenCache<T> {
  /** The oldest first; as all live equally long, it is the first to expire. */
  const waiting = new Map<string, { readonly request: T; readonly expiresMs: number }>();

  const dropExpired = (): void => {
    const nowMs = clock.monotonicNow();
    for (const [token, { expiresMs }] of waiting) {
      if (expiresMs > nowMs) return;
      waiting.delete(token);
    }
  };
  const unusedToken = (): string => {
    for (;;) {
      const token = random.hex(TOKEN_BYTES);
      if (!waiting.has(token)) return token;
    }
  };

  return {
    insert(request) {
      dropExpired();
      if (waiting.size >= MAX_TOKENS) {
        throw new ServiceError(StatusCode.ResourceExhausted, 'maximum number of in-flight requests exceeded');
      }
      const token = unusedToken();
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
