import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@rxlet/kube-api';
import type { StoredObject } from '../api-object.ts';
import type { ResourceType } from '../resource-type.ts';
import type { ObjectStore } from '../store/object-store.ts';

/** Resources to whose objects pods refer. */
export type ReferencedKind =
  'configmaps' | 'secrets' | 'serviceaccounts' | 'persistentvolumeclaims' | 'persistentvolumes' | 'resourceclaims';

/** Reports whether a pod refers to an object, directly or through its claims. */
export function refersTo(
  pod: StoredObject,
  kind: ReferencedKind,
  { namespace, name }: { readonly namespace: string | undefined; readonly name: string },
  store: ObjectStore,
  typeOf: (plural: string) => ResourceType,
): boolean {
  const { metadata, spec } = pod as unknown as Pod;
  if (kind === 'persistentvolumes' || kind === 'persistentvolumeclaims') {
    const claims = claimsOf(pod as unknown as Pod);
    if (kind === 'persistentvolumeclaims') return metadata?.namespace === namespace && claims.includes(name);
    return claims.some((claim) => {
      const found = store.get(typeOf('persistentvolumeclaims'), { namespace: metadata?.namespace, name: claim });
      return (found as unknown as PersistentVolumeClaim | undefined)?.spec?.volumeName === name;
    });
  }
  if (kind === 'resourceclaims')
    return metadata?.namespace === namespace && resourceClaimsOf(pod as unknown as Pod).includes(name);
  if (kind === 'serviceaccounts') return metadata?.namespace === namespace && spec?.serviceAccountName === name;
  if (metadata?.namespace === namespace && namesIn(spec, kind).has(name)) return true;
  return (
    kind === 'secrets' &&
    volumesOf(pod as unknown as Pod, store, typeOf).some((volume) => isSecretOf(volume, namespace, name))
  );
}

function claimsOf({ metadata, spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata?.name ?? ''}-${name}`] : [];
  });
}

function resourceClaimsOf({ spec, status }: Pod): readonly (string | undefined)[] {
  const named = (spec?.resourceClaims ?? []).map(({ resourceClaimName }) => resourceClaimName);
  const generated = (status?.resourceClaimStatuses ?? []).map(({ resourceClaimName }) => resourceClaimName);
  return [...named, ...generated, status?.extendedResourceClaimStatus?.resourceClaimName];
}

function volumesOf(
  pod: Pod,
  store: ObjectStore,
  typeOf: (plural: string) => ResourceType,
): readonly PersistentVolume[] {
  return claimsOf(pod).flatMap((name) => {
    const claim = store.get(typeOf('persistentvolumeclaims'), { namespace: pod.metadata?.namespace, name });
    const { volumeName } = (claim as unknown as PersistentVolumeClaim | undefined)?.spec ?? {};
    const volume = volumeName === undefined ? undefined : store.get(typeOf('persistentvolumes'), { name: volumeName });
    return volume === undefined ? [] : [volume as unknown as PersistentVolume];
  });
}

function isSecretOf({ spec }: PersistentVolume, namespace: string | undefined, name: string): boolean {
  const { nodePublishSecretRef, nodeStageSecretRef, nodeExpandSecretRef } = spec?.csi ?? {};
  const { secretName, secretNamespace = spec?.claimRef?.namespace } = spec?.azureFile ?? {};
  const azureSecretRef = { name: secretName, namespace: secretNamespace };
  return [nodePublishSecretRef, nodeStageSecretRef, nodeExpandSecretRef, azureSecretRef].some(
    (ref) => ref?.name === name && ref.namespace === namespace,
  );
}

/** Keys below which a spec names a ConfigMap or Secret, with the member that has the name. */
const REFERENCES = {
  configmaps: { configMap: 'name', configMapRef: 'name', configMapKeyRef: 'name' },
  secrets: {
    secret: 'secretName',
    azureFile: 'secretName',
    secretRef: 'name',
    secretKeyRef: 'name',
    imagePullSecrets: 'name',
    nodePublishSecretRef: 'name',
  },
} as const;

/** Returns the names of the ConfigMaps or Secrets in a spec, wherever they are in it. */
function namesIn(spec: unknown, kind: keyof typeof REFERENCES): ReadonlySet<string> {
  const members: Readonly<Record<string, string>> = REFERENCES[kind];
  const names = new Set<string>();
  const visit = (value: unknown, key: string): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, key);
    } else if (typeof value === 'object' && value !== null) {
      const fields = value as Record<string, unknown>;
      // Secrets of projected volumes have a name, those of volumes a secretName.
      const name = Object.hasOwn(members, key) ? (fields[members[key]!] ?? fields['name']) : undefined;
      if (typeof name === 'string') names.add(name);
      for (const [field, inner] of Object.entries(fields)) visit(inner, field);
    }
  };
  visit(spec, '');
  return names;
}
