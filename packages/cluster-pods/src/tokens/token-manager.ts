import type { PodToken } from '@rxlet/agent-api/kube';
import { isKubeError, type KubeClient } from '@rxlet/kube-api/client';
import { type Clock, errorMessage, type Logger, type Random, sleep } from '@rxlet/component-base';
import type { AuthenticationV1TokenRequest, TokenRequestSpec } from '@rxlet/kube-api';
import { subresources } from '@rxlet/kube-api/resources';
import { isExpired, MAX_JITTER_MS, needsRefresh } from './token-lifetime.ts';

/** Fields that clients in Go send without a value. */
const UNSET_AUDIENCES: object = { audiences: null };
const UNSET_STATUS: object = { token: '', expirationTimestamp: null };

/** Tokens of service accounts, kept until they expire or their pod is gone. They are in memory only. */
export interface TokenManager {
  /** Returns a token that does not expire soon. An earlier one that is still valid is returned when the API server fails. */
  token(account: ServiceAccountRef, spec: TokenRequestSpec, signal?: AbortSignal): Promise<string>;
  /** Returns the same with the time at which it expires. */
  issue(account: ServiceAccountRef, spec: TokenRequestSpec, signal?: AbortSignal): Promise<PodToken>;
  /** Drops the tokens that are bound to a pod. */
  release(podUid: string): void;
  /** Drops expired tokens. */
  dropExpired(): void;
  /** Number of tokens. */
  readonly size: number;
}

/** A service account. */
export interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
  /** Distinguishes accounts of one name. */
  readonly uid?: string | undefined;
}

/** Ports of {@link createTokenManager}. */
export interface TokenManagerPorts {
  readonly client: Pick<KubeClient, 'createSubresource'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Pauses after a rejection, in milliseconds: the rules of an API server may know of a new pod a moment later than the node. */
const REJECTED_PAUSES_MS: readonly number[] = [50, 100, 200, 400];

/** Creates a {@link TokenManager} with the kubelet's rules. */
export function createTokenManager({ client, clock, random, logger }: TokenManagerPorts): TokenManager {
  const tokens = new Map<string, AuthenticationV1TokenRequest>();

  const request = async (
    { namespace, name }: ServiceAccountRef,
    spec: TokenRequestSpec,
    signal?: AbortSignal,
  ): Promise<AuthenticationV1TokenRequest> => {
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { ...UNSET_AUDIENCES, ...spec },
      status: UNSET_STATUS,
    };
    const answer = await client.createSubresource(subresources.serviceAccountToken, { name, namespace }, body, {
      signal,
    });
    if (!answer.status?.token) throw new Error('the API server returned no token');
    return answer;
  };

  const requestWithRetries: typeof request = async (account, spec, signal) => {
    for (const pauseMs of REJECTED_PAUSES_MS) {
      try {
        return await request(account, spec, signal);
      } catch (error) {
        if (!isKubeError(error, 'Forbidden')) throw error;
        await sleep(clock, pauseMs, signal);
      }
    }
    return request(account, spec, signal);
  };

  const tokenOf = ({ status }: AuthenticationV1TokenRequest): PodToken => ({
    token: status?.token ?? '',
    expirationTimestamp: status?.expirationTimestamp ?? '',
  });

  const manager: TokenManager = {
    token: async (account, spec, signal) => (await manager.issue(account, spec, signal)).token,
    async issue(account, spec, signal) {
      const key = JSON.stringify([account.namespace, account.name, account.uid, spec]);
      const known = tokens.get(key);
      if (known !== undefined && !needsRefresh(known, clock.now(), random.next() * MAX_JITTER_MS))
        return tokenOf(known);
      try {
        const issued = await requestWithRetries(account, spec, signal);
        tokens.set(key, issued);
        return tokenOf(issued);
      } catch (error) {
        signal?.throwIfAborted();
        const subject = { serviceAccount: `${account.namespace}/${account.name}`, error: errorMessage(error) };
        if (known === undefined) throw new Error(`failed to fetch token: ${subject.error}`, { cause: error });
        if (isExpired(known, clock.now()))
          throw new Error(`token of ${subject.serviceAccount} expired and refresh failed: ${subject.error}`, {
            cause: error,
          });
        logger.warn('cannot refresh a token, the present one stays in use', subject);
        return tokenOf(known);
      }
    },
    release(podUid) {
      for (const [key, { spec }] of tokens) if (spec?.boundObjectRef?.uid === podUid) tokens.delete(key);
    },
    dropExpired() {
      for (const [key, token] of tokens) if (isExpired(token, clock.now())) tokens.delete(key);
    },
    get size() {
      return tokens.size;
    },
  };
  return manager;
}
