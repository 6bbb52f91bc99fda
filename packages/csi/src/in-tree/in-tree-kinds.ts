import { awsEbs } from './aws-ebs.ts';
import { azureDisk } from './azure-disk.ts';
import { azureFile } from './azure-file.ts';
import { cinder } from './cinder.ts';
import { gcePd } from './gce-pd.ts';
import type { InTreeField, InTreeKind } from './in-tree-kind.ts';
import { portworx } from './portworx.ts';
import { vsphere } from './vsphere.ts';

/** All kinds of in-tree volumes that CSI drivers serve, by the field of their source. */
export const inTreeKinds: { readonly [Field in InTreeField]: InTreeKind<Field> } = {
  awsElasticBlockStore: awsEbs,
  azureDisk,
  azureFile,
  cinder,
  gcePersistentDisk: gcePd,
  portworxVolume: portworx,
  vsphereVolume: vsphere,
};
