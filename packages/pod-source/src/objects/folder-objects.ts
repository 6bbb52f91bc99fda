import type { PodObjects } from '@rxlet/agent-api/kube';
import { createEmitter } from '@rxlet/component-base/streams';
import type { ConfigMap, Pod, Secret } from '@rxlet/kube-api';
import { podUid, type ObjectReference, referencedObjects } from '@rxlet/pod-model';
import type { ManifestObject, ManifestObjectKind } from './manifest-object.ts';

/** ConfigMaps and Secrets of a folder, for the pods of that folder. */
export interface FolderObjects extends PodObjects {
  /** Replaces the objects and pods. Pods that refer to an object that has changed are emitted. */
  set(objects: ReadonlyMap<string, ManifestObject>, pods: readonly Pod[]): void;
  complete(): void;
}

/** Returns the key of an object among those of a folder. */
export function objectKey(kind: ManifestObjectKind, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

/** Returns the first reference of a pod without an object; `undefined` when all of them exist. */
export function missingReference(pod: Pod, objects: ReadonlyMap<string, ManifestObject>): ObjectReference | undefined {
  return referencedObjects(pod).find(({ kind, name }) => !objects.has(objectKey(kind, namespaceOf(pod), name)));
}

/** Creates {@link FolderObjects}, without objects at first. */
export function createFolderObjects(): FolderObjects {
  const changes = createEmitter<string>();
  let objects: ReadonlyMap<string, ManifestObject> = new Map();
  let uids: ReadonlySet<string> = new Set();

  const find = (pod: Pod, kind: ManifestObjectKind, name: string): ConfigMap | Secret => {
    const namespace = namespaceOf(pod);
    // A pod of another source has not the right to these objects.
    const found = uids.has(podUid(pod)) ? objects.get(objectKey(kind, namespace, name)) : undefined;
    if (found !== undefined) return found.object;
    const title = kind === 'ConfigMap' ? 'configMap' : 'secret';
    // As in a kubelet without an API server: whether the object exists is unknown.
    throw new Error(`couldn't get ${title} ${namespace}/${name}, no kubeClient defined`);
  };

  return {
    configMap: async (pod, name) => find(pod, 'ConfigMap', name),
    secret: async (pod, name) => find(pod, 'Secret', name),
    changes$: changes.values$,
    set(next, pods) {
      const before = objects;
      objects = next;
      uids = new Set(pods.map(podUid));
      const changed = new Set([...before.keys(), ...next.keys()].filter((key) => before.get(key) !== next.get(key)));
      if (changed.size === 0) return;
      for (const pod of pods) {
        const isAffected = referencedObjects(pod).some(({ kind, name }) =>
          changed.has(objectKey(kind, namespaceOf(pod), name)),
        );
        if (isAffected) changes.emit(podUid(pod));
      }
    },
    complete: changes.complete,
  };
}

function namespaceOf({ metadata }: Pod): string {
  return metadata?.namespace ?? '';
}
