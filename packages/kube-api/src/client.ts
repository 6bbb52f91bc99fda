export {
  type DeleteOptions,
  type GetOptions,
  isKubeError,
  type JsonPatchOperation,
  type KubeClient,
  type KubeClients,
  KubeError,
  type KubeErrorReason,
  type KubeObject,
  type KubePatch,
  type ListOptions,
  type ListSelector,
  type ObjectChange,
  type ObjectList,
  type ObjectRef,
  type ObjectWatch,
  type RequestOptions,
  type SubresourceOptions,
  type WatchOptions,
  type WriteOptions,
} from './client/kube-client.ts';
export { createObjectCopy, type ObjectCopy } from './client/object-copy.ts';
export type { TlsKeyPair } from './client/tls-key-pair.ts';
