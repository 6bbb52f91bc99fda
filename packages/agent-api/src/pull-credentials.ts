import type { Pod } from '@rxlet/kube-api';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Finds the credentials for image pulls. Without a provider, every pull is anonymous. */
export const pullCredentials: ServiceKey<CredentialSource> = serviceKey('pull credentials');

/** Finds the credentials with which an image may be pulled. */
export interface CredentialSource {
  /**
   * Returns the credentials in the order in which they must be tried; none for an anonymous pull. A credential store that is missing or broken is reported in
   * the log or as an event and left out. Rejects when the pull must fail, as for a pull secret that does not parse, and when the signal aborts.
   */
  credentialsFor(request: CredentialRequest): Promise<readonly PullCredential[]>;
}

/** Request for the credentials of one pod and repository. */
export interface CredentialRequest {
  readonly pod: Pod;
  /** Repository of the image with its registry, without tag and digest: `docker.io/library/nginx`. */
  readonly repository: string;
  readonly signal?: AbortSignal | undefined;
}

/** One way to authenticate at the registry of an image. */
export interface PullCredential {
  readonly auth: RegistryAuth;
  readonly origin: CredentialOrigin;
}

/** Credentials for a registry: the fields of the CRI's AuthConfig. Unknown ones are empty. */
export interface RegistryAuth {
  readonly username: string;
  readonly password: string;
  readonly auth: string;
  readonly serverAddress: string;
  readonly identityToken: string;
  readonly registryToken: string;
}

/** Origin of a credential. It decides which other pods may use an image that was pulled with it. */
export type CredentialOrigin =
  /** A docker config file of the node, or a credential provider that does not act for a service account. */
  | { readonly kind: 'node' }
  /** A pull secret of the pod. `credentialHash` is the hex SHA-256 of the auth config as JSON, as in a kubelet's pull records. */
  | {
      readonly kind: 'secret';
      readonly uid: string;
      readonly namespace: string;
      readonly name: string;
      readonly credentialHash: string;
    }
  /** A credential provider that received a token of the pod's service account. */
  | { readonly kind: 'serviceAccount'; readonly uid: string; readonly namespace: string; readonly name: string };
