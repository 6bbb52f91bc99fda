import { type ServiceKey, serviceKey } from './service-key.ts';

/** Requests tokens of service accounts. Without a provider, parts that need tokens cannot be set up. */
export const serviceAccountTokens: ServiceKey<ServiceAccountTokens> = serviceKey('service account tokens');

/** Identities and tokens of service accounts, from an API server. Both calls reject when the API server does not grant the request. */
export interface ServiceAccountTokens {
  /** Reads a service account from the API server each time, not from a cache: its annotations are used for authorization. */
  serviceAccount(namespace: string, name: string, signal: AbortSignal): Promise<ServiceAccountIdentity>;
  /** Returns a token that does not expire soon; it may have been returned before. */
  token(request: ServiceAccountTokenRequest, signal: AbortSignal): Promise<string>;
}

/** Identity of a service account. */
export interface ServiceAccountIdentity {
  readonly uid: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Request for a token that is bound to a pod and expires with it. */
export interface ServiceAccountTokenRequest {
  readonly namespace: string;
  readonly serviceAccountName: string;
  readonly serviceAccountUid: string;
  readonly audience: string;
  readonly podName: string;
  readonly podUid: string;
}
