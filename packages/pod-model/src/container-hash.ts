import { fnv1a32 } from './fnv.ts';
import { goJson } from './go-json.ts';

const encoder = new TextEncoder();

/**
 * Returns the kubelet's hash of a container (annotation `io.kubernetes.container.hash`), in lower-case hex without leading zeros. A running container whose
 * hash differs from its spec's is replaced, so the hash must equal the kubelet's for one agent to take over another's containers.
 *
 * Only name and image are hashed: FNV-1a of the text that Go's spew prints (`%#v`) for the bytes of their JSON object.
 */
export function containerHash(container: { readonly name: string; readonly image?: string | undefined }): string {
  const json = `{"image":${goJson((container.image ?? '').toWellFormed())},"name":${goJson(container.name.toWellFormed())}}`;
  return fnv1a32(`([]uint8)[${encoder.encode(json).join(' ')}]`).toString(16);
}
