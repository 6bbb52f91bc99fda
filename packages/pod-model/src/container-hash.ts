import { fnv1a32 } from './fnv.ts';

const encoder = new TextEncoder();

/** Hashes of the containers of specs: each sync of a pod needs them, and they hardly ever change. */
const known = new WeakMap<object, { readonly name: string; readonly image: string; readonly hash: string }>();

/**
 * Returns the kubelet's hash of a container (annotation `io.kubernetes.container.hash`), in lower-case hex without leading zeros. A running container whose
 * hash differs from its spec's is replaced, so the hash must equal the kubelet's for one agent to take over another's containers.
 *
 * Only name and image are hashed: FNV-1a of the text that Go's spew prints (`%#v`) for the bytes of their JSON object.
 */
export function containerHash(container: { readonly name: string; readonly image?: string | undefined }): string {
  const { name, image = '' } = container;
  const entry = known.get(container);
  if (entry?.name === name && entry.image === image) return entry.hash;
  const json = `{"image":${goJson(image.toWellFormed())},"name":${goJson(name.toWellFormed())}}`;
  const hash = fnv1a32(`([]uint8)[${encoder.encode(json).join(' ')}]`).toString(16);
  known.set(container, { name, image, hash });
  return hash;
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
