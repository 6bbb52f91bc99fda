import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Clock, type Random, toRfc3339, uuid } from '@rxlet/component-base';
import type { AuthenticationV1TokenRequest } from '@rxlet/kube-api';
import type { StoredObject } from '../api-object.ts';
import type { User } from './user.ts';

/** Claims of a token of a service account. */
export interface TokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  readonly jti: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
    readonly pod?: { readonly name: string; readonly uid: string };
    readonly secret?: { readonly name: string; readonly uid: string };
  };
}

/** Issues and checks tokens of service accounts: real JSON web tokens, with a key that only this server has. */
export interface TokenIssuer {
  /** Returns the request with a token for a service account. */
  issue(account: StoredObject, request: AuthenticationV1TokenRequest): AuthenticationV1TokenRequest;
  /** Returns the claims of a token that this server issued and that has not expired. */
  claimsOf(token: string): TokenClaims | undefined;
}

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
const MIN_SECONDS = 600;
const DEFAULT_SECONDS = 3600;
const MAX_SECONDS = 2 ** 32;

/** Creates a {@link TokenIssuer} that signs with `key`. */
export function createTokenIssuer(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  key: string,
): TokenIssuer {
  const sign = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return {
    issue(account, { metadata, spec = { audiences: [] } }) {
      const { name, namespace = '', uid } = account.metadata;
      const requested = spec.expirationSeconds ?? DEFAULT_SECONDS;
      const expirationSeconds = Math.min(Math.max(requested, MIN_SECONDS), MAX_SECONDS);
      const nowSeconds = Math.floor(clock.now() / 1000);
      const audiences = spec.audiences?.length ? spec.audiences : [ISSUER];
      const { boundObjectRef } = spec;
      const claims: TokenClaims = {
        iss: ISSUER,
        sub: `system:serviceaccount:${namespace}:${name}`,
        aud: audiences,
        iat: nowSeconds,
        nbf: nowSeconds,
        exp: nowSeconds + expirationSeconds,
        jti: uuid(random),
        'kubernetes.io': {
          namespace,
          serviceaccount: { name, uid },
          ...(boundObjectRef && {
            [boundObjectRef.kind?.toLowerCase() ?? '']: { name: boundObjectRef.name, uid: boundObjectRef.uid },
          }),
        },
      };
      const unsigned = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
      return {
        kind: 'TokenRequest',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: { ...metadata, name, namespace, creationTimestamp: toRfc3339(clock.now()) },
        spec: { ...spec, audiences, expirationSeconds },
        status: { token: `${unsigned}.${sign(unsigned)}`, expirationTimestamp: toRfc3339(claims.exp * 1000) },
      };
    },
    claimsOf(token) {
      const [header = '', payload = '', signature = ''] = token.split('.');
      const expected = Buffer.from(sign(`${header}.${payload}`));
      const given = Buffer.from(signature);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as TokenClaims;
      return claims.exp * 1000 > clock.now() ? claims : undefined;
    },
  };
}

/** Returns the user of a token. */
export function userOfClaims({ sub, 'kubernetes.io': { namespace, serviceaccount } }: TokenClaims): User {
  return {
    name: sub,
    uid: serviceaccount.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}
