import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { Pod } from '@rxlet/kube-api';
import { type JsonObject, messageWriter } from './encode-message.ts';

/**
 * Encodes a pod in the protobuf format of `k8s.io.api.core.v1.Pod`, byte for byte as Kubernetes does. The format has neither `apiVersion` nor `kind`. Fields that
 * the API does not have are left out.
 *
 * @throws PodEncodingError for a value whose type is not that of its field
 */
export function encodePod(pod: Pod): Uint8Array {
  const writer = new BinaryWriter();
  messageWriter('io.k8s.api.core.v1.Pod')(writer, pod as JsonObject);
  return writer.finish();
}
