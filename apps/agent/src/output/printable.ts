/**
 * Makes text from a manifest or a container harmless for a terminal: control characters are shown (`^[` for escape), not obeyed. Line ends and tabs
 * stay.
 */
export function printable(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, (character) => {
    const code = character.charCodeAt(0);
    // Caret notation exists for ASCII only.
    return code < 0x80 ? `^${String.fromCharCode(code ^ 0x40)}` : `\\x${code.toString(16)}`;
  });
}

/** The first line of a text, with `...` where there is more: what fits into a cell of a table. */
export function firstLine(text: string): string {
  const [first = '', ...more] = text.trim().split(/[\n\r\f]/, 2);
  return printable(more.length === 0 ? first : `${first}...`).replaceAll('\t', ' ');
}
