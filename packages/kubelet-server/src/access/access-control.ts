import type { IncomingMessage } from 'node:http';
import type { EndpointResponse } from '@rxlet/agent-api/http';
import { type Clock, errorMessage, type Logger } from '@rxlet/component-base';
import { addressGroup } from '../listeners/address-group.ts';
import { createRareLog } from '../rare-log.ts';
import { errorLine } from '../request/answer.ts';
import type { Authorizer } from './authorizer.ts';
import { bearerTokenOf, removeToken, type TokenAuthenticator, TooManyReviewsError } from './bearer-token.ts';
import type { CertificateOwner } from './client-certificate.ts';
import { ANONYMOUS, type Identity, withAuthenticatedGroup } from './identity.ts';
import { nodeAttributes, type NodeAttributesOptions } from './node-attributes.ts';
import { createPartyLimit } from './party-limit.ts';

/** Lets in the requests of those who may make them. */
export interface AccessControl {
  /** Returns the answer to a request without permission; `undefined` for one that has it. Never rejects. */
  check(message: IncomingMessage, path: string): Promise<EndpointResponse | undefined>;
}

/** Ports of {@link createAccessControl}. */
export interface AccessControlPorts {
  /** Returns the owner of the client's certificate. Default: certificates do not count. */
  readonly certificateOwner?: (message: IncomingMessage) => CertificateOwner;
  readonly tokens?: TokenAuthenticator | undefined;
  readonly authorizer: Authorizer;
  readonly clock: Pick<Clock, 'monotonicNow'>;
  readonly logger: Logger;
}

/** Options of {@link createAccessControl}. */
export interface AccessControlOptions extends NodeAttributesOptions {
  /** Whether clients without credentials are let in as `system:anonymous`. */
  readonly anonymous: boolean;
}

const UNAUTHORIZED: EndpointResponse = { status: 401, body: 'Unauthorized' };
const RETRY = { 'retry-after': '1' };
const TOO_MANY_REVIEWS = errorLine(429, 'too many unknown tokens are being reviewed: retry later', RETRY);
const TOO_MANY_CHECKS = errorLine(429, 'too many requests wait for their permission: retry later', RETRY);
/** Requests whose permission is not known yet, in all and from one address. They last as long as the API server takes to answer, also those of clients without permission. */
const MAX_CHECKS = 1024;
const MAX_CHECKS_PER_PARTY = 128;

/** Longest path in the log. Clients may send a thousand times as much. */
const MAX_LOGGED_PATH = 300;

/** Creates {@link AccessControl}. Of several credentials one is enough; wrong ones are never anonymous. */
export function createAccessControl(
  { certificateOwner, tokens, authorizer, clock, logger }: AccessControlPorts,
  { anonymous, ...attributesOptions }: AccessControlOptions,
): AccessControl {
  // Clients cause these lines as often as they like.
  const failedAuthentications = createRareLog(clock, (fields) =>
    logger.error('requests could not be authenticated', fields),
  );
  const failedAuthorizations = createRareLog(clock, (fields) =>
    logger.error('requests could not be authorized', fields),
  );
  const checks = createPartyLimit(MAX_CHECKS, MAX_CHECKS_PER_PARTY);
  const authenticate = async (message: IncomingMessage, party: string): Promise<Identity | undefined> => {
    const owner = certificateOwner?.(message);
    if (owner !== undefined && owner !== 'invalid') return withAuthenticatedGroup(owner);
    const token = tokens === undefined ? undefined : bearerTokenOf(message);
    if (token === undefined || tokens === undefined) return anonymous && owner === undefined ? ANONYMOUS : undefined;
    const bearer = await tokens.authenticate(token, party);
    return bearer && withAuthenticatedGroup(bearer);
  };
  const decide = async (
    message: IncomingMessage,
    path: string,
    party: string,
  ): Promise<EndpointResponse | undefined> => {
    let user: Identity | undefined;
    try {
      user = await authenticate(message, party);
    } catch (error) {
      failedAuthentications.count({ path: shortened(path), error: errorMessage(error) });
      if (error instanceof TooManyReviewsError) return TOO_MANY_REVIEWS;
    }
    if (user === undefined) return UNAUTHORIZED;
    removeToken(message);
    const { verb, subresources } = nodeAttributes(message.method ?? '', path, attributesOptions);
    for (const subresource of subresources) {
      const attributes = `user=${user.name}, verb=${verb}, resource=nodes, subresource`;
      try {
        if (await authorizer.isAllowed(user, verb, subresource)) return undefined;
      } catch (error) {
        failedAuthorizations.count({ user: user.name, verb, subresource, error: errorMessage(error) });
        return { status: 500, body: `Authorization error (${attributes}=${subresource})` };
      }
    }
    return {
      status: 403,
      body: `Forbidden (user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}])\n`,
    };
  };
  return {
    async check(message, path) {
      const party = addressGroup(message.socket.remoteAddress);
      const end = checks.begin(party);
      if (end === undefined) return TOO_MANY_CHECKS;
      try {
        return await decide(message, path, party);
      } finally {
        end();
      }
    },
  };
}

function shortened(path: string): string {
  return path.length > MAX_LOGGED_PATH ? `${path.slice(0, MAX_LOGGED_PATH)}…` : path;
}
