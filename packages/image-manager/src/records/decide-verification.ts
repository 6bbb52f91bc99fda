import type { CredentialOrigin } from '@rxlet/agent-api/images';
import { recordedSecret, sameCoordinates } from './merge-credentials.ts';
import type { ImagePullCredentials, ImagePulledRecord, ImagePullSecret } from './record-format.ts';
import type { RequiresVerification } from './verification-policy.ts';

/** Maximum number of added secrets in an entry. It bounds the growth by secrets with the same credential. */
export const MAX_LEARNED_SECRETS = 100;

/** Facts about an image on the node and the pod that requests it. */
export interface VerificationFacts {
  /** With its registry, without tag or digest. */
  readonly repository: string;
  /** The record of its reference in the runtime; `unreadable` for an invalid file. */
  readonly record: ImagePulledRecord | 'unreadable' | undefined;
  /** Whether a pull of it was started whose outcome may be unknown. */
  readonly hasIntent: boolean;
  /** Origins of the credentials with which the pod would pull it; `undefined` while they are unknown. */
  readonly origins: readonly CredentialOrigin[] | undefined;
}

/** Result of {@link decideVerification}. */
export type VerificationStep =
  /** The pod may use the image as it is: by policy, or because it is on record. `learned` is a secret that the record lacks. */
  | { readonly step: 'use'; readonly why: 'credentialPolicyAllowed' }
  | { readonly step: 'use'; readonly why: 'credentialRecordFound'; readonly learned?: ImagePullSecret }
  /** The decision needs the pod's credentials. */
  | { readonly step: 'ask-credentials' }
  /** The pod must pull the image, which authenticates it. */
  | { readonly step: 'pull'; readonly why: 'mustAuthenticate' };

const mustAuthenticate: VerificationStep = { step: 'pull', why: 'mustAuthenticate' };

/**
 * Decides whether a pod may use a present image without pulling it (KEP-2535). It may if the policy does not require verification, if the image was once pulled
 * from the same repository with no credential or one of the node, or with a credential that the pod has too: the same secret, even with new content; another
 * one with the same content; or the same service account. Anything uncertain is not allowed.
 */
export function decideVerification(requires: RequiresVerification, facts: VerificationFacts): VerificationStep {
  const { repository, record, hasIntent, origins } = facts;
  if (!requires(repository, record !== undefined || hasIntent)) return { step: 'use', why: 'credentialPolicyAllowed' };
  if (record === undefined || record === 'unreadable') return mustAuthenticate;
  const known = record.credentialMapping[repository];
  if (known === undefined) return mustAuthenticate;
  if (known.nodePodsAccessible) return { step: 'use', why: 'credentialRecordFound' };
  if (known.kubernetesSecrets.length + known.kubernetesServiceAccounts.length === 0) return mustAuthenticate;
  if (origins === undefined) return { step: 'ask-credentials' };
  return findAccess(known, origins) ?? mustAuthenticate;
}

function findAccess(known: ImagePullCredentials, origins: readonly CredentialOrigin[]): VerificationStep | undefined {
  for (const origin of origins) {
    switch (origin.kind) {
      case 'node':
        break;
      case 'secret': {
        const step = findSecret(known.kubernetesSecrets, recordedSecret(origin));
        if (step !== undefined) return step;
        break;
      }
      case 'serviceAccount':
        if (known.kubernetesServiceAccounts.some((account) => sameCoordinates(account, origin))) {
          return { step: 'use', why: 'credentialRecordFound' };
        }
    }
  }
  return undefined;
}

function findSecret(known: readonly ImagePullSecret[], secret: ImagePullSecret): VerificationStep | undefined {
  // An empty hash could not be computed, and equals nothing.
  const sameContent = (item: ImagePullSecret): boolean =>
    item.credentialHash !== '' && item.credentialHash === secret.credentialHash;
  const sameSecret = known.find((item) => sameCoordinates(item, secret));
  if (sameSecret === undefined && !known.some(sameContent)) return undefined;
  const isOnRecord = sameSecret !== undefined && sameContent(sameSecret);
  return {
    step: 'use',
    why: 'credentialRecordFound',
    ...(!isOnRecord && known.length < MAX_LEARNED_SECRETS && { learned: secret }),
  };
}
