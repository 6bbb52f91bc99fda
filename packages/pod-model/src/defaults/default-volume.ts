import type { DownwardAPIVolumeFile, Mutable, Volume } from '@rxlet/kube-api';
import { imagePullPolicyFor } from './image-pull-policy.ts';

/** `rw-r--r--`. */
const DEFAULT_MODE = 0o644;

/** Fills in the defaults of the API server for a volume, in place. */
export function defaultVolume(volume: Mutable<Volume>): void {
  if (Object.keys(volume).every((key) => key === 'name')) volume.emptyDir = {};
  const { hostPath, image, secret, configMap, downwardAPI, projected, iscsi, rbd, azureDisk, scaleIO } = volume;
  if (hostPath) hostPath.type ??= '';
  if (image) image.pullPolicy ??= imagePullPolicyFor(image.reference ?? '');
  if (secret) secret.defaultMode ??= DEFAULT_MODE;
  if (configMap) configMap.defaultMode ??= DEFAULT_MODE;
  if (downwardAPI) {
    downwardAPI.defaultMode ??= DEFAULT_MODE;
    downwardAPI.items?.forEach(defaultFile);
  }
  if (projected) {
    projected.defaultMode ??= DEFAULT_MODE;
    for (const source of projected.sources ?? []) {
      source.downwardAPI?.items?.forEach(defaultFile);
      if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3600;
    }
  }
  if (iscsi) iscsi.iscsiInterface ??= 'default';
  if (rbd) {
    rbd.pool ??= 'rbd';
    rbd.user ??= 'admin';
    rbd.keyring ??= '/etc/ceph/keyring';
  }
  if (azureDisk) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.kind ??= 'Shared';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
  }
  if (scaleIO) {
    scaleIO.storageMode ??= 'ThinProvisioned';
    scaleIO.fsType ??= 'xfs';
  }
  const template = volume.ephemeral?.volumeClaimTemplate?.spec;
  if (template) template.volumeMode ??= 'Filesystem';
}

function defaultFile(file: Mutable<DownwardAPIVolumeFile>): void {
  if (file.fieldRef) file.fieldRef.apiVersion ??= 'v1';
  if (file.resourceFieldRef) file.resourceFieldRef.divisor ??= '0';
}
