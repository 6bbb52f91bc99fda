import type { Pod, Volume } from '@rxlet/kube-api';
import { podContainers } from './containers.ts';

/** Reference of a pod to an object of its namespace. */
export interface ObjectReference {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
}

/** Returns the ConfigMaps and Secrets that a pod refers to where a module of the agent reads them: pull secrets, environment, volumes. */
export function referencedObjects({ spec, ...pod }: Pod): readonly ObjectReference[] {
  if (spec === undefined) return [];
  const references = new Map<string, ObjectReference>();
  const add = (kind: ObjectReference['kind'], name: string | undefined): void => {
    if (name && !references.has(`${kind}/${name}`)) references.set(`${kind}/${name}`, { kind, name });
  };
  spec.imagePullSecrets?.forEach(({ name }) => add('Secret', name));
  for (const { container } of podContainers({ ...pod, spec })) {
    for (const { configMapRef, secretRef } of container.envFrom ?? []) {
      add('ConfigMap', configMapRef?.name);
      add('Secret', secretRef?.name);
    }
    for (const { valueFrom } of container.env ?? []) {
      add('ConfigMap', valueFrom?.configMapKeyRef?.name);
      add('Secret', valueFrom?.secretKeyRef?.name);
    }
  }
  spec.volumes?.forEach((volume) => addVolume(volume, add));
  return [...references.values()];
}

function addVolume(
  { configMap, secret, projected }: Volume,
  add: (kind: ObjectReference['kind'], name: string | undefined) => void,
): void {
  add('ConfigMap', configMap?.name);
  add('Secret', secret?.secretName);
  for (const source of projected?.sources ?? []) {
    add('ConfigMap', source.configMap?.name);
    add('Secret', source.secret?.name);
  }
}
