import type { Clock } from '@rxlet/component-base';
import { ApiError } from '../api-error.ts';
import type { StoredObject } from '../api-object.ts';
import type { ApiRequest } from '../server/api-message.ts';
import { bootstrapUserOf } from './bootstrap-tokens.ts';
import { type TokenIssuer, userOfClaims } from './service-account-tokens.ts';
import { anonymous, type User } from './user.ts';

/** Ports of {@link createAuthenticator}. */
export interface AuthenticatorPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly tokens: TokenIssuer;
  /** Returns the Secrets of kube-system, some of which are bootstrap tokens. */
  readonly systemSecrets: () => readonly StoredObject[];
}

/**
 * Returns a function that returns the user of a request. It throws an {@link ApiError} for wrong credentials.
 *
 * @param knownTokens users by their bearer tokens
 */
export function createAuthenticator(
  { clock, tokens, systemSecrets }: AuthenticatorPorts,
  knownTokens: Readonly<Record<string, User>>,
): (request: ApiRequest) => User {
  const userOf = (token: string): User | undefined => {
    if (Object.hasOwn(knownTokens, token)) return knownTokens[token];
    const claims = tokens.claimsOf(token);
    return claims === undefined ? bootstrapUserOf(token, systemSecrets(), clock.now()) : userOfClaims(claims);
  };
  return ({ headers, user, hasInvalidCertificate }) => {
    const token = /^Bearer (.+)$/i.exec(headers['authorization'] ?? '')?.[1];
    if (token === undefined && hasInvalidCertificate !== true) return user ?? anonymous;
    const found = token === undefined ? undefined : userOf(token);
    if (found === undefined) throw new ApiError('Unauthorized', 'Unauthorized');
    return found;
  };
}
