const encoder = new TextEncoder();

/** Returns the 32-bit FNV-1a hash of a text in UTF-8, which kubelets use in names and checksums. It is not collision-resistant. */
export function fnv1a32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of encoder.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** Returns the 64-bit FNV-1a hash of a text in UTF-8. */
export function fnv1a64(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of encoder.encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}
