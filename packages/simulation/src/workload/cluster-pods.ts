import type { Container, PodSpec } from '@rxlet/kube-api';
import { modelPod, type PodKind, podKinds } from './pod-kinds.ts';

/** Kinds of pods in a cluster. */
export type ClusterPodKind = PodKind | 'config';
export const clusterPodKinds: readonly ClusterPodKind[] = [...podKinds, 'config'];

/** Names of the ConfigMap and the Secret of pods of the kind `config`. */
export const OBJECT_NAMES = { ConfigMap: 'settings', Secret: 'password' } as const;

/** Returns the spec of a pod. Its version is that of the images. */
export function clusterPodSpec(name: string, kind: ClusterPodKind, version: number): PodSpec {
  const { containers, ...spec } = kind === 'config' ? configSpec() : modelPod(name, kind, version).spec!;
  return { ...spec, containers: containers.map((container) => withVersion(container, version)) };
}

/** Returns a container with the image of a version. */
export function withVersion(container: Container, version: number): Container {
  return { ...container, image: `registry.example/${container.name}:${String(version)}` };
}

function configSpec(): PodSpec {
  const { ConfigMap: configMap, Secret: secret } = OBJECT_NAMES;
  return {
    terminationGracePeriodSeconds: 2,
    containers: [
      {
        name: 'app',
        image: 'registry.example/app:1',
        command: ['serve'],
        env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: secret, key: 'key' } } }],
        volumeMounts: ['config', 'secret', 'token'].map((volume) => ({ name: volume, mountPath: `/${volume}` })),
      },
    ],
    volumes: [
      { name: 'config', configMap: { name: configMap, defaultMode: 0o644 } },
      { name: 'secret', secret: { secretName: secret, defaultMode: 0o600 } },
      { name: 'token', projected: { defaultMode: 0o600, sources: [{ serviceAccountToken: { path: 'token' } }] } },
    ],
  };
}
