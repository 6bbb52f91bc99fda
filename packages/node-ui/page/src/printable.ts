/** Characters that show nothing or change how their neighbours are shown: control characters, and those that turn the direction of text. */
const INVISIBLE = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Returns text of a manifest, a container or a runtime as it is shown: what would be invisible is shown by its code, so that no name looks like another one. */
export function printable(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
