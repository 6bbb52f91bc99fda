import { type Redirect, ShellSyntaxError, ShellUnsupportedError, type Word, type WordPart } from './syntax.ts';

/** A token of a script. `\n` separates commands as `;` does, but may also stand where no command has ended. */
export type Token =
  | { readonly kind: 'word'; readonly word: Word }
  | { readonly kind: 'operator'; readonly text: ';' | '&&' | '||' | '\n' }
  | { readonly kind: 'redirect'; readonly redirect: Redirect };

/** Longest token that is matched as a whole: a variable in braces or a redirection. */
const MAX_LOOKAHEAD = 256;
const OPERATORS = ['&&', '||', ';', '\n'] as const;
const REDIRECT = /^([12]?)>>?(?:&([12])(?![\w/])|[ \t]*(\/dev\/(?:null|stdout|stderr))(?![\w/.-]))/;
const VARIABLE = /^\$(?:([A-Za-z_]\w*|[?#$]|\d)|\{([A-Za-z_]\w*|[?#$]|\d+)\})/;
/** In double quotes the backslash is an ordinary character before any other than these. */
const ESCAPABLE_IN_QUOTES = '$`"\\\n';

/** Splits a script into tokens. Throws {@link ShellSyntaxError} or {@link ShellUnsupportedError}. */
export function tokenize(script: string): readonly Token[] {
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
  const addVariable = (quoted: boolean): void => {
    const rest = script.slice(at, at + MAX_LOOKAHEAD);
    const match = VARIABLE.exec(rest);
    if (match !== null) {
      parts ??= [];
      parts.push({ kind: 'variable', name: (match[1] ?? match[2])!, quoted });
      at += match[0].length;
    } else if (/^\$[({@*!-]/.test(rest)) {
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
      if (char === '`') throw new ShellUnsupportedError('command substitution');
      if (char === '$') {
        addVariable(true);
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
    const redirect = parts === undefined || char === '>' ? REDIRECT.exec(rest) : null;
    if (operator !== undefined) {
      endWord();
      tokens.push({ kind: 'operator', text: operator });
      at += operator.length;
    } else if (redirect !== null) {
      endWord();
      tokens.push({ kind: 'redirect', redirect: toRedirect(redirect) });
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
      addVariable(false);
    } else if ('&|<>()`'.includes(char)) {
      throw new ShellUnsupportedError(`"${char}"`);
    } else {
      addText(char, false);
      at += 1;
    }
  }
  endWord();
  return tokens;
}

function toRedirect([, from, descriptor, path]: RegExpExecArray): Redirect {
  const toStderr = descriptor === '2' || path === '/dev/stderr';
  return {
    from: from === '2' ? 'stderr' : 'stdout',
    to: path === '/dev/null' ? 'null' : toStderr ? 'stderr' : 'stdout',
  };
}
