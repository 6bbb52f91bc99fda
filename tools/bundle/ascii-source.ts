/**
 * Returns JavaScript without comments in pure ASCII: V8 holds a source text with a single character beyond Latin-1 in two bytes per character.
 *
 * @throws Error when such a character follows a backslash, where an escape would change its meaning
 */
export function asciiSource(code: string): string {
  const escaped = /\\[^\0-\x7f]/.exec(code);
  if (escaped !== null) throw new Error(`cannot write "${escaped[0]}" in ASCII: a character beyond ASCII is escaped`);
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
