import { fnv1a32 } from './fnv.ts';

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

/**
 * Returns JSON with the escapes of Go's encoder, which also escapes characters that are special in HTML and JavaScript. Fields are in the order of the object;
 * Go writes them in the order of the type's definition.
 */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
