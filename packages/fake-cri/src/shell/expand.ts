import type { Word } from './syntax.ts';

/**
 * Expands the variables of `words`; `lookup` gives their values, unset ones are empty. What an unquoted variable holds is split at blanks, and a
 * word of which nothing is left disappears unless part of it was quoted.
 */
export function expandWords(words: readonly Word[], lookup: (name: string) => string | undefined): string[] {
  const fields: string[] = [];
  for (const word of words) {
    let field: string | undefined;
    for (const part of word) {
      const text = part.kind === 'text' ? part.text : (lookup(part.name) ?? '');
      if (part.kind === 'text' || part.quoted) {
        field = (field ?? '') + text;
        continue;
      }
      const pieces = text.split(/[ \t\n]+/);
      for (const [index, piece] of pieces.entries()) {
        if (index > 0 && field !== undefined) {
          fields.push(field);
          field = undefined;
        }
        if (piece !== '') field = (field ?? '') + piece;
      }
    }
    if (field !== undefined) fields.push(field);
  }
  return fields;
}
