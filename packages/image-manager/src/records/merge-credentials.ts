import type { CredentialOrigin } from '@rxlet/agent-api/images';
import type { ImagePullCredentials, ImagePullSecret, ImagePullServiceAccount } from './record-format.ts';

/** Returns the access that a pull with a credential of this origin proves; a pull without one proves access for every pod. */
export function credentialsOf(origin: CredentialOrigin | undefined): ImagePullCredentials {
  const none = { kubernetesSecrets: [], kubernetesServiceAccounts: [], nodePodsAccessible: false };
  switch (origin?.kind) {
    case undefined:
    case 'node':
      return { ...none, nodePodsAccessible: true };
    case 'secret':
      return { ...none, kubernetesSecrets: [recordedSecret(origin)] };
    case 'serviceAccount': {
      const { uid, namespace, name } = origin;
      return { ...none, kubernetesServiceAccounts: [{ uid, namespace, name }] };
    }
  }
}

/** Returns a secret in the form of records. */
export function recordedSecret({ uid, namespace, name, credentialHash }: ImagePullSecret): ImagePullSecret {
  return { uid, namespace, name, credentialHash };
}

/**
 * Adds proven access to known access. Once every pod has access, the lists are empty. A secret with known coordinates gets the new hash. Lists are sorted, so
 * that equal contents are equal files.
 *
 * @returns `known` itself when there is nothing new.
 */
export function mergeCredentials(
  known: ImagePullCredentials | undefined,
  added: ImagePullCredentials,
): ImagePullCredentials {
  if (known?.nodePodsAccessible) return known;
  if (added.nodePodsAccessible || known === undefined) {
    return added.nodePodsAccessible
      ? { kubernetesSecrets: [], kubernetesServiceAccounts: [], nodePodsAccessible: true }
      : added;
  }
  const kubernetesSecrets = union(known.kubernetesSecrets, added.kubernetesSecrets);
  const kubernetesServiceAccounts = union(known.kubernetesServiceAccounts, added.kubernetesServiceAccounts);
  const merged = { kubernetesSecrets, kubernetesServiceAccounts, nodePodsAccessible: false };
  return JSON.stringify(merged) === JSON.stringify(inOrder(known)) ? known : merged;
}

/** Reports whether both are the same object of the cluster. */
export function sameCoordinates(one: ImagePullServiceAccount, other: ImagePullServiceAccount): boolean {
  return one.uid === other.uid && one.namespace === other.namespace && one.name === other.name;
}

/** The later of two items with equal coordinates stays. */
function union<T extends ImagePullServiceAccount>(known: readonly T[], added: readonly T[]): readonly T[] {
  const kept = known.filter((item) => !added.some((other) => sameCoordinates(item, other)));
  return [...kept, ...added].sort(byCoordinates);
}

function inOrder({ kubernetesSecrets, kubernetesServiceAccounts, nodePodsAccessible }: ImagePullCredentials): unknown {
  return {
    kubernetesSecrets: union(kubernetesSecrets, []),
    kubernetesServiceAccounts: union(kubernetesServiceAccounts, []),
    nodePodsAccessible,
  };
}

function byCoordinates(one: ImagePullServiceAccount, other: ImagePullServiceAccount): number {
  const keyOf = ({ uid, namespace, name }: ImagePullServiceAccount): string => [namespace, name, uid].join('\0');
  const [first, second] = [keyOf(one), keyOf(other)];
  return first < second ? -1 : Number(first > second);
}
