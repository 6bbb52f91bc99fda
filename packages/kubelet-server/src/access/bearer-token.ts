import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock, Random } from '@rxlet/component-base';
import type { TokenReview } from '@rxlet/kube-api';
import { createExpiringCache } from './expiring-cache.ts';
import type { TokenCacheMetrics } from './access-metrics.ts';
import { type Identity } from './identity.ts';
import { createReviewBudget, type ReviewBudget } from './review-budget.ts';

/** Authenticates requests with a bearer token. */
export interface TokenAuthenticator {
  /**
   * Returns the owner of a token that a client of this address group sent; `undefined` for an invalid one. Rejects when the API server did not answer, or reported why the token is
   * invalid, and with a {@link TooManyReviewsError}.
   */
  authenticate(token: string, party: string): Promise<Identity | undefined>;
}

/** Unknown tokens arrive faster than they may be reviewed. */
export class TooManyReviewsError extends Error {
  override readonly name = 'TooManyReviewsError';
  constructor() {
    super('too many unknown tokens');
  }
}

/** Most tokens that are remembered. */
const CAPACITY = 4096;
/** A longer token is none. */
const MAX_TOKEN_LENGTH = 64 * 1024;

/** Creates a `TokenAuthenticator` that remembers the answers of the API server for `cacheTtlMs`, under hashes with a secret key. */
export function createTokenAuthenticator(
  {
    review,
    clock,
    random,
    metrics,
    budget = createReviewBudget(clock),
  }: {
    readonly review: (token: string) => Promise<NonNullable<TokenReview['status']>>;
    readonly clock: Clock;
    readonly random: Random;
    readonly metrics?: TokenCacheMetrics | undefined;
    readonly budget?: ReviewBudget;
  },
  cacheTtlMs: number,
): TokenAuthenticator {
  const secret = random.hex(32);
  const cache = createExpiringCache<Identity | undefined>(clock, CAPACITY, () => cacheTtlMs);
  const load = async (token: string, party: string): Promise<Identity | undefined> => {
    const release = budget.take(party);
    if (release === undefined) throw new TooManyReviewsError();
    const { authenticated = false, user = {}, error = '' } = await review(token).finally(release);
    if (error !== '') throw new Error(error);
    if (!authenticated) return undefined;
    return { name: user.username ?? '', uid: user.uid, groups: user.groups ?? [], extra: user.extra ?? {} };
  };
  return {
    async authenticate(token, party) {
      if (token.length > MAX_TOKEN_LENGTH) return undefined;
      const key = createHmac('sha256', secret).update(token).digest('base64');
      if (metrics === undefined) return cache.get(key, () => load(token, party));
      return metrics.request(cache.has(key), () => cache.get(key, () => metrics.fetch(() => load(token, party))));
    },
  };
}

const PROTOCOL_PREFIX = 'base64url.bearer.authorization.k8s.io.';

/** Returns the bearer token of a request: from its header, or from the protocols of a WebSocket, where browsers have to put it. */
export function bearerTokenOf({ headers }: IncomingMessage): string | undefined {
  const [scheme = '', token = ''] = (headers.authorization ?? '').trim().split(' ');
  if (scheme.toLowerCase() === 'bearer') return token === '' ? undefined : token;
  return webSocketToken(headers['sec-websocket-protocol']);
}

function webSocketToken(header: string | undefined): string | undefined {
  const protocols = (header ?? '').split(',').map((protocol) => protocol.trim());
  const tokens = protocols.filter((protocol) => protocol.startsWith(PROTOCOL_PREFIX));
  // A protocol must be left to be spoken, and two tokens are a mistake.
  if (tokens.length !== 1 || protocols.length < 2) return undefined;
  const encoded = tokens[0]!.slice(PROTOCOL_PREFIX.length);
  if (!/^[A-Za-z0-9_-]+$/.test(encoded)) return undefined;
  const decoded = Buffer.from(encoded, 'base64url').toString('utf8');
  return decoded === '' || decoded.includes('\ufffd') ? undefined : decoded;
}

/** Removes the token from a request, whose headers may be passed on to the runtime. */
export function removeToken(message: IncomingMessage): void {
  const { headers, rawHeaders } = message;
  delete headers.authorization;
  const protocols = headers['sec-websocket-protocol'];
  if (protocols === undefined || !protocols.includes(PROTOCOL_PREFIX)) return;
  headers['sec-websocket-protocol'] = withoutTokens(protocols);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const isProtocol = rawHeaders[index]!.toLowerCase() === 'sec-websocket-protocol';
    if (isProtocol) rawHeaders[index + 1] = withoutTokens(rawHeaders[index + 1]!);
  }
}

function withoutTokens(protocols: string): string {
  const names = protocols.split(',').map((protocol) => protocol.trim());
  return names.filter((name) => !name.startsWith(PROTOCOL_PREFIX)).join(', ');
}
