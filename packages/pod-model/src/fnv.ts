const encoder = new TextEncoder();

/** Returns the 32-bit FNV-1a hash of a text in UTF-8, which kubelets use in names and checksums. It is not collision-resistant. */
export function fnv1a32(text: string): number {
  const bytes = encoder.encode(text);
  let hash = 0x811c9dc5;
  // By index: an iterator would allocate an object for each byte.
  for (let index = 0; index < bytes.length; index += 1) hash = Math.imul(hash ^ bytes[index]!, 0x01000193);
  return hash >>> 0;
}
