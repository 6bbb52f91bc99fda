import { type Token, tokenize } from './lexer.ts';
import {
  type AndOr,
  type Command,
  type CommandList,
  type ForCommand,
  type GroupCommand,
  type IfCommand,
  type LoopCommand,
  type Pipeline,
  type Redirect,
  ShellSyntaxError,
  ShellUnsupportedError,
  type SimpleCommand,
  type Word,
} from './syntax.ts';

const UNSUPPORTED_WORDS: ReadonlySet<string> = new Set(['case', 'function', '[[', 'select', 'time']);
/** Words that only end or continue a compound command. */
const CLOSING_WORDS: ReadonlySet<string> = new Set(['do', 'done', 'then', 'else', 'elif', 'fi', 'esac', '}']);
const ASSIGNMENT = /^([A-Za-z_]\w*)=/;
/** Maximum nesting of commands; a deeper script is rejected instead of exhausting the stack. */
const MAX_DEPTH = 50;

/**
 * Parses a script of the built-in subset of the POSIX shell: simple commands with quoting, variables, assignments, `$(…)` and `$((…))`; `;`, newlines,
 * `&&`, `||`, `|`, `&`, `!`, comments; `if`, `while`, `until`, `for`, groups, and redirections. Throws {@link ShellSyntaxError} or
 * {@link ShellUnsupportedError}.
 */
export function parseScript(script: string): CommandList {
  return parseNested(script, 0);
}

function parseNested(script: string, outerDepth: number): CommandList {
  let depth = outerDepth;
  const tokens = tokenize(script, (inner) => parseNested(inner, nextDepth(outerDepth)));
  let at = 0;

  const isOperator = (...texts: readonly string[]): boolean => {
    const token = tokens[at];
    return token?.kind === 'operator' && texts.includes(token.text);
  };
  const keyword = (): string | undefined => literalWord(tokens[at]);
  const skipNewlines = (): void => {
    while (isOperator('\n')) at += 1;
  };
  const isAt = (ends: readonly string[]): boolean => ends.includes(keyword() ?? '') || isOperator(...ends);
  const expect = (wanted: string): void => {
    if (!isAt([wanted])) throw unexpected(tokens[at], `expecting "${wanted}"`);
    at += 1;
  };

  /** Parses the redirection at this token, with the word after it. */
  const parseRedirect = ({ operator, from, of }: Token & { kind: 'redirect' }): Redirect => {
    if (of !== undefined) return { kind: 'copy', from, of };
    const target = tokens[++at];
    if (target?.kind !== 'word') throw unexpected(target);
    if (operator === '<') return { kind: 'read', path: target.word };
    return { kind: 'write', from, path: target.word, append: operator === '>>' };
  };
  const parseRedirects = (): Redirect[] => {
    const redirects: Redirect[] = [];
    for (let token = tokens[at]; token?.kind === 'redirect'; token = tokens[++at]) redirects.push(parseRedirect(token));
    return redirects;
  };

  const parseSimple = (): SimpleCommand => {
    const assignments: SimpleCommand['assignments'][number][] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (let token = tokens[at]; token !== undefined && token.kind !== 'operator'; token = tokens[++at]) {
      if (token.kind === 'redirect') redirects.push(parseRedirect(token));
      else {
        const assignment = words.length === 0 ? assignmentOf(token.word) : undefined;
        if (assignment === undefined) words.push(token.word);
        else assignments.push(assignment);
      }
    }
    if (words.length + assignments.length + redirects.length === 0) throw unexpected(tokens[at]);
    return { kind: 'simple', assignments, words, redirects };
  };

  const parseBody = (): CommandList => {
    expect('do');
    const body = parseList(['done']);
    expect('done');
    return body;
  };
  const parseLoop = (continuesOn: LoopCommand['continuesOn']): LoopCommand => {
    at += 1;
    const condition = parseList(['do']);
    const body = parseBody();
    return { kind: 'loop', continuesOn, condition, body, redirects: parseRedirects() };
  };
  const parseFor = (): ForCommand => {
    at += 1;
    const name = keyword() ?? '';
    if (!/^[A-Za-z_]\w*$/.test(name)) throw unexpected(tokens[at]);
    at += 1;
    skipNewlines();
    if (keyword() !== 'in') throw new ShellUnsupportedError('"for" without "in"');
    at += 1;
    const words: Word[] = [];
    for (let token = tokens[at]; token?.kind === 'word'; token = tokens[++at]) words.push(token.word);
    if (!isOperator(';', '\n')) throw unexpected(tokens[at]);
    at += 1;
    skipNewlines();
    const body = parseBody();
    return { kind: 'for', name, words, body, redirects: parseRedirects() };
  };
  const parseIf = (): IfCommand => {
    const branches: IfCommand['branches'][number][] = [];
    do {
      at += 1;
      const condition = parseList(['then']);
      expect('then');
      branches.push({ condition, body: parseList(['elif', 'else', 'fi']) });
    } while (keyword() === 'elif');
    let otherwise: CommandList = [];
    if (keyword() === 'else') {
      at += 1;
      otherwise = parseList(['fi']);
    }
    expect('fi');
    return { kind: 'if', branches, otherwise, redirects: parseRedirects() };
  };
  const parseGroup = (end: '}' | ')'): GroupCommand => {
    at += 1;
    const body = parseList([end]);
    expect(end);
    return { kind: 'group', subshell: end === ')', body, redirects: parseRedirects() };
  };

  const parseCommand = (): Command => {
    const word = keyword();
    if (word === 'while') return parseLoop('success');
    if (word === 'until') return parseLoop('failure');
    if (word === 'for') return parseFor();
    if (word === 'if') return parseIf();
    if (word === '{') return parseGroup('}');
    if (isOperator('(')) return parseGroup(')');
    if (word !== undefined && UNSUPPORTED_WORDS.has(word)) throw new ShellUnsupportedError(`"${word}"`);
    if (word !== undefined && CLOSING_WORDS.has(word)) throw unexpected(tokens[at]);
    return parseSimple();
  };

  const parsePipeline = (): Pipeline => {
    const negated = keyword() === '!';
    if (negated) at += 1;
    const commands: [Command, ...Command[]] = [parseCommand()];
    while (isOperator('|')) {
      at += 1;
      skipNewlines();
      commands.push(parseCommand());
    }
    return { negated, commands };
  };

  const parseAndOr = (): AndOr => {
    const first = parsePipeline();
    const rest: AndOr['rest'][number][] = [];
    while (isOperator('&&', '||')) {
      const operator = isOperator('&&') ? '&&' : '||';
      at += 1;
      skipNewlines();
      rest.push({ operator, pipeline: parsePipeline() });
    }
    return { first, rest, background: isOperator('&') };
  };

  /** Parses up to the end of the script, or up to the end of a list, which must not be empty. */
  const parseList = (ends: readonly string[] = []): CommandList => {
    depth = nextDepth(depth);
    const list: AndOr[] = [];
    for (skipNewlines(); at < tokens.length && !isAt(ends); skipNewlines()) {
      list.push(parseAndOr());
      if (isOperator(';', '\n', '&')) at += 1;
      else if (at < tokens.length && !(ends.includes(')') && isOperator(')'))) throw unexpected(tokens[at]);
    }
    if (ends.length > 0 && list.length === 0) throw unexpected(tokens[at]);
    depth -= 1;
    return list;
  };

  return parseList();
}

function nextDepth(depth: number): number {
  if (depth >= MAX_DEPTH) throw new ShellUnsupportedError(`commands nested more than ${String(MAX_DEPTH)} deep`);
  return depth + 1;
}

/** Returns the text of a word that is neither quoted nor expanded: only such a word can be a keyword. */
function literalWord(token: Token | undefined): string | undefined {
  if (token?.kind !== 'word') return undefined;
  let text = '';
  for (const part of token.word) {
    if (part.kind !== 'text' || part.quoted) return undefined;
    text += part.text;
  }
  return text;
}

/** `NAME=value`, with the name not quoted. */
function assignmentOf([first, ...rest]: Word): SimpleCommand['assignments'][number] | undefined {
  if (first?.kind !== 'text' || first.quoted) return undefined;
  const match = ASSIGNMENT.exec(first.text);
  if (match === null) return undefined;
  const begin = { ...first, text: first.text.slice(match[0].length) };
  return { name: match[1]!, value: [begin, ...rest] };
}

function unexpected(token: Token | undefined, hint?: string): ShellSyntaxError {
  const what =
    token === undefined
      ? 'end of file'
      : `"${literalWord(token) ?? (token.kind === 'operator' ? token.text : token.kind)}"`;
  return new ShellSyntaxError(`unexpected ${what}${hint === undefined ? '' : ` (${hint})`}`);
}
