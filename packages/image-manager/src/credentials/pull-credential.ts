import type { Pod } from '@rxlet/kube-api';

/** What a registry is told about who pulls: the fields of the CRI's AuthConfig. Every field is there; what is not known is empty. */
export interface RegistryAuth {
  readonly username: string;
  readonly password: string;
  readonly auth: string;
  readonly serverAddress: string;
  readonly identityToken: string;
  readonly registryToken: string;
}

/** Where a credential comes from: who else on the node may use what was pulled with it. */
export type CredentialOrigin =
  /** A docker config file of the node, or a credential provider that does not act for a service account. */
  | { readonly kind: 'node' }
  /** A pull secret of the pod. `credentialHash` is the hex SHA-256 of the auth config as JSON, as a kubelet records it. */
  | {
      readonly kind: 'secret';
      readonly uid: string;
      readonly namespace: string;
      readonly name: string;
      readonly credentialHash: string;
    }
  /** A credential provider that was given a token of the pod's service account. */
  | { readonly kind: 'serviceAccount'; readonly uid: string; readonly namespace: string; readonly name: string };

/** One way to authenticate at the registry of an image. */
export interface PullCredential {
  readonly auth: RegistryAuth;
  readonly origin: CredentialOrigin;
}

/** Somebody wants to pull an image for a pod. */
export interface CredentialRequest {
  readonly pod: Pod;
  /** The reference with its default tag. */
  readonly image: string;
  readonly signal?: AbortSignal | undefined;
}

/** Finds the credentials with which an image may be pulled, in the order in which they are to be tried. */
export interface CredentialSource {
  /**
   * Empty: the pull is anonymous. A source that is broken or absent is told of in the log or in an event and left out.
   * Rejects only where a kubelet fails the pull: a pull secret that is there and does not parse; and when the signal aborts.
   */
  credentialsFor(request: CredentialRequest): Promise<readonly PullCredential[]>;
}
