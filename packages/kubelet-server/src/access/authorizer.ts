import type { Clock } from '@rxlet/component-base';
import type { SubjectAccessReview } from '@rxlet/kube-api';
import { createExpiringCache } from './expiring-cache.ts';
import type { Identity } from './identity.ts';

/** Decides what clients may do. */
export interface Authorizer {
  /** Reports whether a client may use a subresource of the node. Rejects when that cannot be known. */
  isAllowed(user: Identity, verb: string, subresource: string): Promise<boolean>;
}

/** Allows every authenticated client everything. */
export const alwaysAllow: Authorizer = { isAllowed: () => Promise.resolve(true) };

/** Options of {@link createWebhookAuthorizer}. */
export interface WebhookAuthorizerOptions {
  readonly nodeName: string;
  /** Time for which a permission stays cached. */
  readonly cacheAuthorizedTtlMs: number;
  /** Time for which a missing permission stays cached. */
  readonly cacheUnauthorizedTtlMs: number;
}

const CAPACITY = 8192;
/** A longer question is not remembered, so that the memory has a bound. */
const MAX_KEY_LENGTH = 10_000;

/** Creates an `Authorizer` that asks the API server and remembers its answers. */
export function createWebhookAuthorizer(
  {
    review,
    clock,
  }: {
    readonly review: (spec: SubjectAccessReview['spec']) => Promise<NonNullable<SubjectAccessReview['status']>>;
    readonly clock: Clock;
  },
  { nodeName, cacheAuthorizedTtlMs, cacheUnauthorizedTtlMs }: WebhookAuthorizerOptions,
): Authorizer {
  const cache = createExpiringCache<boolean>(clock, CAPACITY, (isAllowed) =>
    isAllowed ? cacheAuthorizedTtlMs : cacheUnauthorizedTtlMs,
  );
  return {
    isAllowed({ name, uid, groups, extra }, verb, subresource) {
      const spec = {
        user: name,
        ...(uid !== undefined && uid !== '' && { uid }),
        groups: [...groups],
        ...(Object.keys(extra).length > 0 && {
          extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key.toLowerCase(), [...values]])),
        }),
        resourceAttributes: {
          name: nodeName,
          resource: 'nodes',
          subresource,
          version: 'v1',
          ...(verb !== '' && { verb }),
        },
      };
      const load = async (): Promise<boolean> => {
        const { allowed, denied = false } = await review(spec);
        return allowed && !denied;
      };
      const key = JSON.stringify(spec);
      return key.length > MAX_KEY_LENGTH ? load() : cache.get(key, load);
    },
  };
}
