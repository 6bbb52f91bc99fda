import type { KubeObject } from '@rxlet/kube-api/client';
import type { Pod } from '@rxlet/kube-api';
import type { RecordedObject, Recording } from './recording.ts';
import { MANIFESTS, type ReplayNode } from './replay-node.ts';

/** Returns the pods of a recording. */
export function podsOf({ objects }: Recording): readonly RecordedObject[] {
  return objects.filter(({ kind }) => kind === 'Pod');
}

/** Returns a recorded pod as it was before the node ran it. */
export function pending(pod: RecordedObject): KubeObject {
  const { conditions = [], qosClass } = (pod as Pod).status ?? {};
  const scheduled = conditions.filter(({ type }) => type === 'PodScheduled');
  return { ...pod, status: { phase: 'Pending', qosClass, conditions: scheduled } } as KubeObject;
}

/** Writes the manifest of a static pod. Another label makes another pod. */
export function writeManifest({ node }: ReplayNode, label: string, name = 'st', file = name): void {
  const spec = {
    terminationGracePeriodSeconds: 2,
    containers: [{ name: 'c', image: 'localhost/busybox:1.35', command: ['sleep', '10000'] }],
  };
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { a: label } }, spec };
  node.files.put(`${MANIFESTS}/${file}.yaml`, JSON.stringify(manifest));
}

/** Removes a manifest. */
export function removeManifest({ node }: ReplayNode, file = 'st'): void {
  node.files.remove(`${MANIFESTS}/${file}.yaml`);
}
