import { type ServiceKey, serviceKey } from './service-key.ts';

/** Requests the tokens that volumes project into pods. Without a provider, such volumes cannot be mounted. */
export const podTokens: ServiceKey<PodTokens> = serviceKey('pod tokens');

/** Tokens of service accounts for pods. */
export interface PodTokens {
  /** Returns a token that does not expire soon; it may have been returned before. Rejects with the API server's message. */
  podToken(request: PodTokenRequest, signal?: AbortSignal): Promise<PodToken>;
}

/** A token of a service account. */
export interface PodToken {
  /** Must never be logged. */
  readonly token: string;
  /** Time at which it expires, in RFC 3339. */
  readonly expirationTimestamp: string;
}

/** Request for a token that is bound to a pod and expires with it. */
export interface PodTokenRequest {
  readonly namespace: string;
  readonly serviceAccountName: string;
  /** Empty for the API server's own audience. */
  readonly audiences: readonly string[];
  readonly expirationSeconds?: number | undefined;
  readonly boundObject: {
    readonly apiVersion: 'v1';
    readonly kind: 'Pod';
    readonly name: string;
    readonly uid: string;
  };
}
