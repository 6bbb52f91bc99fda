import type { AWSElasticBlockStoreVolumeSource } from '@rxlet/kube-api';
import type { DriverSource, InTreeKind } from './in-tree-kind.ts';
import { zonalAffinity } from './topology.ts';

export const awsEbs: InTreeKind<'awsElasticBlockStore'> = {
  field: 'awsElasticBlockStore',
  plugin: 'kubernetes.io/aws-ebs',
  driver: 'ebs.csi.aws.com',
  persistentSource,
  nodeAffinity: (volume) => zonalAffinity(volume, 'topology.ebs.csi.aws.com/zone'),
  inlineSource: persistentSource,
};

function persistentSource(source: AWSElasticBlockStoreVolumeSource): DriverSource {
  const { volumeID, readOnly = false, fsType = '', partition = 0 } = source;
  const attributes = { partition: String(partition) };
  return { volumeHandle: ebsVolumeId(volumeID), readOnly, fsType, volumeAttributes: attributes };
}

/** Returns the id of a disk, which may be that of a URL such as `aws://us-east-1a/vol-1`. */
function ebsVolumeId(id: string): string {
  if (!id.startsWith('aws://')) return id;
  const [, path = ''] = /^aws:\/\/[^/?#]*([^?#]*)/.exec(id) ?? [];
  const [, volumeId] = /^\/*(vol-[^/]*)\/*$/.exec(path) ?? [];
  if (volumeId !== undefined) return volumeId;
  throw new Error(`failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (${id})`);
}
