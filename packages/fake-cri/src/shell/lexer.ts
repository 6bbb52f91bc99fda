import { type CommandList, ShellSyntaxError, ShellUnsupportedError, type Word, type WordPart } from './syntax.ts';

/** A token of a script. `\n` separates commands as `;` does, but may also stand where no command has ended. */
export type Token =
  | { readonly kind: 'word'; readonly word: Word }
  | { readonly kind: 'operator'; readonly text: (typeof OPERATORS)[number] }
  /** `2>&1` has the copied output; for all others the next word is the file. */
  | {
      readonly kind: 'redirect';
      readonly operator: '<' | '>' | '>>';
      readonly from: 'stdout' | 'stderr';
      readonly of: 'stdout' | 'stderr' | undefined;
    };

/** Maximum length of a token that is matched as a whole: a variable in braces or a redirection. */
const MAX_LOOKAHEAD = 256;
const OPERATORS = ['&&', '||', ';', '\n', '|', '&', '(', ')'] as const;
const REDIRECT = /^(?:0?<(?![<&>])|([12]?)(>>?)(?:&([12])(?![\w/])|(?![&|])))/;
const NAME = String.raw`[A-Za-z_]\w*|[?#$!]|\d`;
const VARIABLE = new RegExp(String.raw`^\$(?:(${NAME})|\{(${NAME}+)(?::-([^{}$\x60"'\\]*))?\})`);
/** Characters that a backslash escapes in double quotes. */
const ESCAPABLE_IN_QUOTES = '$`"\\\n';

/** Splits a script into tokens; `parse` is for the scripts within `$(…)`. Throws {@link ShellSyntaxError} or {@link ShellUnsupportedError}. */
export function tokenize(script: string, parse: (script: string) => CommandList): readonly Token[] {
  const tokens: Token[] = [];
  let parts: WordPart[] | undefined;
  let at = 0;

  const endWord = (): void => {
    if (parts !== undefined) tokens.push({ kind: 'word', word: parts });
    parts = undefined;
  };
  const addText = (text: string, quoted: boolean): void => {
    parts ??= [];
    const last = parts.at(-1);
    if (last?.kind === 'text' && last.quoted === quoted) parts[parts.length - 1] = { ...last, text: last.text + text };
    else parts.push({ kind: 'text', text, quoted });
  };
  const addExpansion = (quoted: boolean): void => {
    const rest = script.slice(at, at + MAX_LOOKAHEAD);
    const match = VARIABLE.exec(rest);
    parts ??= [];
    if (rest.startsWith('$((')) {
      const end = closingParenthesis(script, at + 2);
      if (script[end + 1] !== ')') throw new ShellSyntaxError('unterminated "$(("');
      parts.push({ kind: 'arithmetic', expression: script.slice(at + 3, end), quoted });
      at = end + 2;
    } else if (rest.startsWith('$(')) {
      const end = closingParenthesis(script, at + 1);
      parts.push({ kind: 'substitution', list: parse(script.slice(at + 2, end)), quoted });
      at = end + 1;
    } else if (match !== null) {
      const [whole, plain, braced, fallback] = match;
      const name = (plain ?? braced)!;
      parts.push({ kind: 'variable', name, quoted, ...(fallback === undefined ? {} : { fallback }) });
      at += whole.length;
    } else if (/^\$[{@*-]/.test(rest)) {
      throw new ShellUnsupportedError(`"${rest.slice(0, 2)}" expansions`);
    } else {
      addText('$', quoted);
      at += 1;
    }
  };
  const readSingleQuotes = (): void => {
    const end = script.indexOf("'", at + 1);
    if (end < 0) throw new ShellSyntaxError('unterminated quoted string');
    addText(script.slice(at + 1, end), true);
    at = end + 1;
  };
  const readDoubleQuotes = (): void => {
    addText('', true);
    at += 1;
    while (script[at] !== '"') {
      const char = script[at];
      if (char === undefined) throw new ShellSyntaxError('unterminated quoted string');
      if (char === '`') throw new ShellUnsupportedError('"`"');
      if (char === '$') {
        addExpansion(true);
      } else if (char === '\\' && ESCAPABLE_IN_QUOTES.includes(script[at + 1] ?? ' ')) {
        if (script[at + 1] !== '\n') addText(script[at + 1]!, true);
        at += 2;
      } else {
        addText(char, true);
        at += 1;
      }
    }
    at += 1;
  };

  while (at < script.length) {
    const char = script[at]!;
    const rest = script.slice(at, at + MAX_LOOKAHEAD);
    const operator = OPERATORS.find((text) => rest.startsWith(text));
    const redirect = parts === undefined || char === '>' || char === '<' ? REDIRECT.exec(rest) : null;
    if (/^(?:;;|&>|\|&)/.test(rest)) {
      throw new ShellUnsupportedError(`"${rest.slice(0, 2)}"`);
    } else if (operator !== undefined) {
      endWord();
      tokens.push({ kind: 'operator', text: operator });
      at += operator.length;
    } else if (redirect !== null) {
      endWord();
      const [, from, operator = '<', copied] = redirect;
      tokens.push({
        kind: 'redirect',
        operator: operator as '<' | '>' | '>>',
        from: from === '2' ? 'stderr' : 'stdout',
        of: copied === undefined ? undefined : copied === '2' ? 'stderr' : 'stdout',
      });
      at += redirect[0].length;
    } else if (char === ' ' || char === '\t' || char === '\r') {
      endWord();
      at += 1;
    } else if (char === '#' && parts === undefined) {
      const end = script.indexOf('\n', at);
      at = end < 0 ? script.length : end;
    } else if (char === "'") {
      readSingleQuotes();
    } else if (char === '"') {
      readDoubleQuotes();
    } else if (char === '\\') {
      if (at + 1 < script.length && script[at + 1] !== '\n') addText(script[at + 1]!, true);
      at += 2;
    } else if (char === '$') {
      addExpansion(false);
    } else if ('<>`'.includes(char)) {
      throw new ShellUnsupportedError(`"${char}"`);
    } else {
      addText(char, false);
      at += 1;
    }
  }
  endWord();
  return tokens;
}

/** Returns the index of the parenthesis that closes the one at `open`; quotes are skipped. */
function closingParenthesis(script: string, open: number): number {
  let depth = 0;
  for (let at = open; at < script.length; at += 1) {
    const char = script[at]!;
    if (char === '\\') at += 1;
    else if (char === "'" || char === '"') {
      const end = script.indexOf(char, at + 1);
      if (end < 0) break;
      at = end;
    } else if (char === '(') depth += 1;
    else if (char === ')' && --depth === 0) return at;
  }
  throw new ShellSyntaxError('unterminated "$("');
}
