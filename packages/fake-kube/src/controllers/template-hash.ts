const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Returns a short name for the content of a template, of letters and digits that form no words. Equal templates have equal hashes. */
export function templateHash(template: unknown): string {
  // FNV-1a, 32 bits.
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(canonical(template))) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return [...String(hash)].map((digit) => ALPHABET[Number(digit)]!).join('');
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
