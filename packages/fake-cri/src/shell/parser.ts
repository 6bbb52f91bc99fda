import { type Token, tokenize } from './lexer.ts';
import {
  type AndOr,
  type Command,
  type CommandList,
  type LoopCommand,
  type Redirect,
  ShellSyntaxError,
  ShellUnsupportedError,
  type SimpleCommand,
  type Word,
} from './syntax.ts';

const UNSUPPORTED_WORDS: ReadonlySet<string> = new Set([
  'if',
  'for',
  'case',
  'function',
  '{',
  '!',
  '[[',
  'select',
  'time',
]);
/** Words that only end or continue a compound command. */
const CLOSING_WORDS: ReadonlySet<string> = new Set(['do', 'done', 'then', 'else', 'elif', 'fi', 'esac', '}']);

/**
 * Parses a script of the built-in subset of the POSIX shell: simple commands with quoting and variables, `;`, newlines, `&&`, `||`, comments,
 * `while` and `until` loops, and redirections among the outputs. Throws {@link ShellSyntaxError} or {@link ShellUnsupportedError}.
 */
export function parseScript(script: string): CommandList {
  const tokens = tokenize(script);
  let at = 0;

  const isOperator = (...texts: readonly string[]): boolean => {
    const token = tokens[at];
    return token?.kind === 'operator' && texts.includes(token.text);
  };
  const keyword = (): string | undefined => literalWord(tokens[at]);
  const skipNewlines = (): void => {
    while (isOperator('\n')) at += 1;
  };
  const expectKeyword = (wanted: string): void => {
    if (keyword() !== wanted) throw unexpected(tokens[at], `expecting "${wanted}"`);
    at += 1;
  };

  const parseRedirects = (): Redirect[] => {
    const redirects: Redirect[] = [];
    for (let token = tokens[at]; token?.kind === 'redirect'; token = tokens[++at]) redirects.push(token.redirect);
    return redirects;
  };

  const parseSimple = (): SimpleCommand => {
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (let token = tokens[at]; token !== undefined && token.kind !== 'operator'; token = tokens[++at]) {
      if (token.kind === 'word') words.push(token.word);
      else redirects.push(token.redirect);
    }
    if (words.length === 0 && redirects.length === 0) throw unexpected(tokens[at]);
    if (/^[A-Za-z_]\w*=/.test(literalPrefix(words[0]))) throw new ShellUnsupportedError('assignments');
    return { kind: 'simple', words, redirects };
  };

  const parseLoop = (continuesOn: LoopCommand['continuesOn']): LoopCommand => {
    at += 1;
    const condition = parseList('do');
    expectKeyword('do');
    const body = parseList('done');
    expectKeyword('done');
    return { kind: 'loop', continuesOn, condition, body, redirects: parseRedirects() };
  };

  const parseCommand = (): Command => {
    const word = keyword();
    if (word === 'while') return parseLoop('success');
    if (word === 'until') return parseLoop('failure');
    if (word !== undefined && UNSUPPORTED_WORDS.has(word)) throw new ShellUnsupportedError(`"${word}"`);
    if (word !== undefined && CLOSING_WORDS.has(word)) throw unexpected(tokens[at]);
    return parseSimple();
  };

  const parseAndOr = (): AndOr => {
    const first = parseCommand();
    const rest: AndOr['rest'][number][] = [];
    while (isOperator('&&', '||')) {
      const operator = isOperator('&&') ? '&&' : '||';
      at += 1;
      skipNewlines();
      rest.push({ operator, command: parseCommand() });
    }
    return { first, rest };
  };

  /** Parses up to the end of the script, or up to the word that ends the list, which may not be empty then. */
  const parseList = (end?: string): CommandList => {
    const list: AndOr[] = [];
    for (skipNewlines(); at < tokens.length && (end === undefined || keyword() !== end); skipNewlines()) {
      list.push(parseAndOr());
      if (isOperator(';', '\n')) at += 1;
      else if (at < tokens.length) throw unexpected(tokens[at]);
    }
    if (end !== undefined && list.length === 0) throw unexpected(tokens[at]);
    return list;
  };

  return parseList();
}

/** The text of a word that is neither quoted nor has variables: only such a word can be a keyword. */
function literalWord(token: Token | undefined): string | undefined {
  if (token?.kind !== 'word') return undefined;
  let text = '';
  for (const part of token.word) {
    if (part.kind !== 'text' || part.quoted) return undefined;
    text += part.text;
  }
  return text;
}

/** What a word begins with before anything quoted or a variable. */
function literalPrefix(word: Word | undefined): string {
  let text = '';
  for (const part of word ?? []) {
    if (part.kind !== 'text' || part.quoted) break;
    text += part.text;
  }
  return text;
}

function unexpected(token: Token | undefined, hint?: string): ShellSyntaxError {
  const what =
    token === undefined
      ? 'end of file'
      : `"${literalWord(token) ?? (token.kind === 'operator' ? token.text : token.kind)}"`;
  return new ShellSyntaxError(`unexpected ${what}${hint === undefined ? '' : ` (${hint})`}`);
}
