import type { Word, WordPart } from './syntax.ts';

/** Returns the text of a variable, a `$(…)` or a `$((…))`. */
export type ExpandPart = (part: Exclude<WordPart, { kind: 'text' }>) => string | Promise<string>;

/** Expands `words` into fields; a field is one argument of a command. */
export async function expandWords(words: readonly Word[], expand: ExpandPart): Promise<string[]> {
  const fields: string[] = [];
  for (const word of words) fields.push(...(await expandWord(word, expand)));
  return fields;
}

/** A word that stays one field: the value of an assignment, the file of a redirection. */
export async function expandToOne(word: Word, expand: ExpandPart): Promise<string> {
  let text = '';
  for (const part of word) text += part.kind === 'text' ? part.text : await expand(part);
  return text;
}

/** Unquoted expansions are split at blanks; an empty word disappears unless part of it was quoted. */
async function expandWord(word: Word, expand: ExpandPart): Promise<string[]> {
  const fields: string[] = [];
  let field: string | undefined;
  for (const part of word) {
    const text = part.kind === 'text' ? part.text : await expand(part);
    if (part.kind === 'text' || part.quoted) {
      field = (field ?? '') + text;
      continue;
    }
    for (const [index, piece] of text.split(/[ \t\n]+/).entries()) {
      if (index > 0 && field !== undefined) {
        fields.push(field);
        field = undefined;
      }
      if (piece !== '') field = (field ?? '') + piece;
    }
  }
  return field === undefined ? fields : [...fields, field];
}
