import type { CredentialOrigin } from '../credentials/pull-credential.ts';
import { recordedSecret, sameCoordinates } from './merge-credentials.ts';
import type { ImagePullCredentials, ImagePulledRecord, ImagePullSecret } from './record-format.ts';
import type { RequiresVerification } from './verification-policy.ts';

/** How many secrets an entry remembers beyond those that pulled the image; it must not grow with every secret that holds the same credential. */
export const MAX_LEARNED_SECRETS = 100;

/** What is known of an image that is on the node, and of the pod that wants to use it. */
export interface VerificationFacts {
  /** With its registry, without tag or digest. */
  readonly repository: string;
  /** The record of its reference in the runtime; `unreadable` when there is a file that makes no sense. */
  readonly record: ImagePulledRecord | 'unreadable' | undefined;
  /** Whether a pull of it was begun, and perhaps never seen to end. */
  readonly hasIntent: boolean;
  /** The credentials with which the pod would pull it; `undefined` while nobody asked for them. */
  readonly origins: readonly CredentialOrigin[] | undefined;
}

/** What follows from {@link VerificationFacts}. */
export type VerificationStep =
  /** The pod may use the image as it is: by policy, or because it is on record. A secret that is new to the record is told. */
  | { readonly step: 'use'; readonly why: 'credentialPolicyAllowed' }
  | { readonly step: 'use'; readonly why: 'credentialRecordFound'; readonly learned?: ImagePullSecret }
  /** It depends on the pod's credentials, which have to be found out. */
  | { readonly step: 'ask-credentials' }
  /** The pod has to pull it, and so to authenticate. */
  | { readonly step: 'pull'; readonly why: 'mustAuthenticate' };

const mustAuthenticate: VerificationStep = { step: 'pull', why: 'mustAuthenticate' };

/**
 * Whether a pod may use an image that is there without pulling it (KEP-2535). It may if the policy does not ask, if the image was once pulled from the same
 * repository with no credential or one of the node, or with a credential that the pod has too: the same secret, even with new content; another one with the
 * same content; or the same service account. What is not known for sure is not allowed.
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
  // An empty hash is one that could not be made, equal to nothing.
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
