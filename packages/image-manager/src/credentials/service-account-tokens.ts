/** A service account, as far as a credential provider is told of it. */
export interface ServiceAccountIdentity {
  readonly uid: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A token that is asked for. It is bound to the pod, and ends with it. */
export interface ServiceAccountTokenRequest {
  readonly namespace: string;
  readonly serviceAccountName: string;
  readonly serviceAccountUid: string;
  readonly audience: string;
  readonly podName: string;
  readonly podUid: string;
}

/** Identities and tokens of service accounts, from an API server. Both calls reject when there is none to be had. */
export interface ServiceAccountTokens {
  /** Read from the API server each time, not from a cache: annotations decide what a provider may do. */
  serviceAccount(namespace: string, name: string, signal: AbortSignal): Promise<ServiceAccountIdentity>;
  /** A token with some life left; may be one that was handed out before. */
  token(request: ServiceAccountTokenRequest, signal: AbortSignal): Promise<string>;
}
