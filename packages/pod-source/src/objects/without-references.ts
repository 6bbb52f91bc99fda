import type { Pod } from '@rxlet/kube-api';

/** Returns a copy of a pod without the references of `referencedObjects`: what is left must not refer to objects of an API server. */
export function withoutObjectReferences(pod: Pod): Pod {
  const { spec } = pod;
  if (spec === undefined) return pod;
  const bare = <T extends { readonly env?: object; readonly envFrom?: object }>(list: readonly T[] | undefined) =>
    list?.map((container) => ({ ...container, env: undefined, envFrom: undefined }));
  const volumes = spec.volumes?.map((volume) => ({
    ...volume,
    configMap: undefined,
    secret: undefined,
    projected: volume.projected && {
      ...volume.projected,
      sources: volume.projected.sources?.map((source) => ({ ...source, configMap: undefined, secret: undefined })),
    },
  }));
  return {
    ...pod,
    spec: {
      ...spec,
      containers: bare(spec.containers),
      initContainers: bare(spec.initContainers),
      ephemeralContainers: bare(spec.ephemeralContainers),
      imagePullSecrets: undefined,
      volumes,
    },
  } as unknown as Pod;
}
