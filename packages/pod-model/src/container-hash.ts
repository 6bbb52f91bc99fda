import { fnv1a32 } from './fnv.ts';
import { goJson } from './go-json.ts';

const encoder = new TextEncoder();

/**
 * The hash a kubelet puts into annotation `io.kubernetes.container.hash`, lower-case hex without leading zeros. A running container whose hash differs from
 * its spec's is replaced, so this has to agree bit for bit with kubelets for one agent to take over another's containers.
 *
 * Only name and image count. It is FNV-1a over the text that Go's spew prints (`%#v`) for the bytes of the JSON object of both.
 */
export function containerHash(container: { readonly name: string; readonly image?: string | undefined }): string {
  const json = `{"image":${goJson((container.image ?? '').toWellFormed())},"name":${goJson(container.name.toWellFormed())}}`;
  return fnv1a32(`([]uint8)[${encoder.encode(json).join(' ')}]`).toString(16);
}
