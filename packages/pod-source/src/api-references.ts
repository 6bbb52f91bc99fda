import type { Pod, Volume } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';

/**
 * Returns a kind of API object that a pod refers to, e.g. `secrets`, or undefined. A static pod may refer to none: it must run without an API server, and
 * nothing would check its right to use the object (feature PreventStaticPodAPIReferences).
 */
export function apiReferenceOf(pod: Pod): string | undefined {
  const { spec } = pod;
  if (spec === undefined) return undefined;
  const volumes = spec.volumes ?? [];
  if (spec.serviceAccountName) return 'serviceaccounts';
  if (spec.imagePullSecrets?.some(({ name }) => name)) return 'secrets';
  const sources = podContainers(pod).map(({ container }) => container);
  const env = sources.flatMap((container) => container.env ?? []);
  const envFrom = sources.flatMap((container) => container.envFrom ?? []);
  if (
    env.some(({ valueFrom }) => valueFrom?.secretKeyRef) ||
    envFrom.some(({ secretRef }) => secretRef) ||
    volumes.some(refersToSecret)
  ) {
    return 'secrets';
  }
  if (
    env.some(({ valueFrom }) => valueFrom?.configMapKeyRef) ||
    envFrom.some(({ configMapRef }) => configMapRef) ||
    volumes.some(({ configMap, projected }) => configMap ?? projected?.sources?.some((source) => source.configMap))
  ) {
    return 'configmaps';
  }
  if (spec.resourceClaims?.length) return 'resourceclaims';
  for (const volume of volumes) {
    if (volume.persistentVolumeClaim) return 'persistentvolumeclaims';
    if (volume.ephemeral) return 'persistentvolumeclaims (via ephemeral volumes)';
    if (volume.csi) return 'csidrivers (via CSI volumes)';
    if (volume.glusterfs) return 'endpoints (via glusterFS volumes)';
    for (const source of volume.projected?.sources ?? []) {
      if (source.serviceAccountToken) return 'serviceaccounts (via projected volumes)';
      if (source.clusterTrustBundle) return 'clustertrustbundles';
      if (source.podCertificate) return 'podcertificates';
    }
  }
  return undefined;
}

function refersToSecret(volume: Volume): boolean {
  const { azureFile, cephfs, cinder, csi, flexVolume, iscsi, projected, rbd, scaleIO, secret, storageos } = volume;
  return Boolean(
    azureFile?.secretName ??
    cephfs?.secretRef ??
    cinder?.secretRef ??
    csi?.nodePublishSecretRef ??
    flexVolume?.secretRef ??
    iscsi?.secretRef ??
    projected?.sources?.find((source) => source.secret) ??
    rbd?.secretRef ??
    scaleIO?.secretRef ??
    secret ??
    storageos?.secretRef,
  );
}
