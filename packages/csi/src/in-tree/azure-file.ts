import type { InTreeKind } from './in-tree-kind.ts';

const RESOURCE_GROUP = 'kubernetes.io/azure-file-resource-group';

export const azureFile: InTreeKind<'azureFile'> = {
  field: 'azureFile',
  plugin: 'kubernetes.io/azure-file',
  driver: 'file.csi.azure.com',
  persistentSource(source, { metadata, spec }) {
    const { secretName, shareName, readOnly = false } = source;
    // The Secret is that of the pods which the claim is for.
    const namespace = source.secretNamespace ?? spec?.claimRef?.namespace ?? '';
    if (namespace === '') throw new Error('could not find a secret namespace in PersistentVolumeSource or ClaimRef');
    const resourceGroup = metadata?.annotations?.[RESOURCE_GROUP] ?? '';
    const id = [resourceGroup, accountOf(secretName), shareName, metadata?.name ?? '', namespace];
    return {
      volumeHandle: id.join('#'),
      readOnly,
      volumeAttributes: { sharename: shareName },
      nodeStageSecretRef: { name: secretName, namespace },
    };
  },
  inlineSource({ secretName, shareName, readOnly = false }, { name }, podNamespace) {
    const namespace = podNamespace === '' ? 'default' : podNamespace;
    const volumeHandle = ['', accountOf(secretName), shareName, name, namespace].join('#');
    return {
      volumeHandle,
      name: volumeHandle,
      accessMode: 'ReadWriteMany',
      readOnly,
      volumeAttributes: { sharename: shareName },
      nodeStageSecretRef: { name: secretName, namespace },
    };
  },
};

const BEFORE_ACCOUNT = 'azure-storage-account-';
const AFTER_ACCOUNT = '-secret';

/** Returns the storage account of a Secret, whose name has it by convention. Without a pattern, which takes minutes for the names that some pods have. */
function accountOf(secretName: string): string {
  const begin = secretName.indexOf(BEFORE_ACCOUNT) + BEFORE_ACCOUNT.length;
  const end = secretName.lastIndexOf(AFTER_ACCOUNT);
  return begin >= BEFORE_ACCOUNT.length && begin < end ? secretName.slice(begin, end) : secretName;
}
