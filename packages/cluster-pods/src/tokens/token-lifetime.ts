import type { AuthenticationV1TokenRequest } from '@rxlet/kube-api';

/** Age at which a token is replaced at the latest. */
const MAX_AGE_MS = 24 * 3_600_000;
/** Longest random shift, so that the tokens of a pod are not replaced at the same time. */
export const MAX_JITTER_MS = 10_000;

/** Reports whether a token must be replaced: within the last fifth of its lifetime, or after a day. A token without a lifetime is not replaced. */
export function needsRefresh({ spec, status }: AuthenticationV1TokenRequest, nowMs: number, jitterMs: number): boolean {
  const { expirationSeconds } = spec ?? {};
  if (expirationSeconds === undefined) return false;
  const expiresMs = expirationMs({ status });
  const issuedMs = expiresMs - expirationSeconds * 1000;
  if (nowMs > issuedMs + MAX_AGE_MS - jitterMs) return true;
  return nowMs > expiresMs - Math.trunc((expirationSeconds * 20) / 100) * 1000 - jitterMs;
}

/** Reports whether a token is not valid any more. */
export function isExpired(token: AuthenticationV1TokenRequest, nowMs: number): boolean {
  return nowMs > expirationMs(token);
}

function expirationMs({ status }: Pick<AuthenticationV1TokenRequest, 'status'>): number {
  return Date.parse(status?.expirationTimestamp ?? '') || 0;
}
