import { FileError, resolvePath } from '../fs/file-system.ts';
import type { ProcessContext } from '../process/program.ts';
import type { Command } from './command.ts';

/** Maximum input of a command in characters. */
const MAX_INPUT = 4 * 1024 * 1024;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\' };

function unescape(text: string): string {
  return text.replace(/\\([ntr\\])/g, (_, char: string) => ESCAPES[char]!);
}

/** `echo [-neE] [WORD…]`, as busybox has it. */
const echo: Command = (args, context) => {
  const firstWord = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  const words = firstWord < 0 ? [] : args.slice(firstWord);
  const flags = args.slice(0, args.length - words.length).join('');
  const text = words.join(' ');
  const unescaped = flags.includes('e') ? unescape(text) : text;
  context.write('stdout', flags.includes('n') ? unescaped : `${unescaped}\n`);
  return 0;
};

/** `printf FORMAT [ARGUMENT…]` with `%s`, `%d` and `%%`; the format is used again while arguments are left. */
const printf: Command = ([format = '', ...args], context) => {
  const rest = [...args];
  const once = (): string =>
    unescape(format).replace(/%([sd%])/g, (_, kind: string) =>
      kind === '%' ? '%' : (rest.shift() ?? (kind === 'd' ? '0' : '')),
    );
  let text = once();
  for (let before = args.length; rest.length > 0 && rest.length < before;) {
    before = rest.length;
    text += once();
  }
  context.write('stdout', text);
  return 0;
};

/** Reads standard input to its end. */
async function readAll({ stdin, signal }: ProcessContext): Promise<string> {
  let text = '';
  for (let piece = await stdin.read(signal); piece !== undefined; piece = await stdin.read(signal)) {
    if (text.length + piece.length > MAX_INPUT) throw new FileError('ENOSPC');
    text += piece;
  }
  return text;
}

/** Reads the files, or standard input without any. A file that cannot be read is reported, and makes the status 1. */
async function readInputs(
  name: string,
  paths: readonly string[],
  context: ProcessContext,
): Promise<{ texts: string[]; status: number }> {
  const texts: string[] = [];
  let status = 0;
  for (const path of paths.length > 0 ? paths : ['-']) {
    try {
      if (path === '-') texts.push(await readAll(context));
      else if (path === '/dev/null') texts.push('');
      else texts.push(context.files.read(resolvePath(context.workingDirectory, path)));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      context.write('stderr', `${name}: ${path}: ${error.message}\n`);
      status = 1;
    }
  }
  return { texts, status };
}

const cat: Command = async (args, context) => {
  if (args.length === 0) {
    // Piece by piece, since the writer may never end.
    for (
      let piece = await context.stdin.read(context.signal);
      piece !== undefined;
      piece = await context.stdin.read(context.signal)
    )
      context.write('stdout', piece);
    return 0;
  }
  const { texts, status } = await readInputs('cat', args, context);
  for (const text of texts) context.write('stdout', text);
  return status;
};

function linesOf(text: string): string[] {
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n').slice(text === '' ? 1 : 0);
}

/** `head` and `tail` with `-n N` or `-N`; `tail -f` runs until it is stopped, without following. */
const cut =
  (name: 'head' | 'tail'): Command =>
  async (args, context) => {
    let count = 10;
    let follow = false;
    const paths: string[] = [];
    for (let at = 0; at < args.length; at += 1) {
      const arg = args[at]!;
      if (arg === '-n') count = Number(args[++at]);
      else if (/^-n?\d+$/.test(arg)) count = Number(/\d+$/.exec(arg)![0]);
      else if (name === 'tail' && /^-[fF]$/.test(arg)) follow = true;
      else paths.push(arg);
    }
    if (!Number.isInteger(count) || count < 0) {
      context.write('stderr', `${name}: invalid number\n`);
      return 1;
    }
    const { texts, status } = await readInputs(name, paths, context);
    for (const text of texts) {
      const lines = linesOf(text);
      const chosen = name === 'head' ? lines.slice(0, count) : lines.slice(Math.max(0, lines.length - count));
      if (chosen.length > 0) context.write('stdout', `${chosen.join('\n')}\n`);
    }
    return follow ? new Promise(() => undefined) : status;
  };

/** `grep [-qvciFE] PATTERN [FILE…]`: the pattern is a fixed string, with `^` and `$` at its ends. */
const grep: Command = async (args, context) => {
  const flags = args.filter((arg) => /^-[qvciFEs]+$/.test(arg)).join('');
  const [pattern = '', ...paths] = args.filter((arg) => !/^-[qvciFEs]+$/.test(arg));
  const matches = matcher(pattern, flags);
  const { texts, status } = await readInputs('grep', paths, context);
  const found = texts.flatMap(linesOf).filter((line) => matches(line) !== flags.includes('v'));
  if (flags.includes('c')) context.write('stdout', `${String(found.length)}\n`);
  else if (!flags.includes('q')) for (const line of found) context.write('stdout', `${line}\n`);
  return found.length > 0 ? 0 : status === 0 ? 1 : 2;
};

/** No regular expressions from outside: a malicious one could take forever. */
function matcher(pattern: string, flags: string): (line: string) => boolean {
  const fold = (text: string): string => (flags.includes('i') ? text.toLowerCase() : text);
  const fixed = flags.includes('F');
  const atStart = !fixed && pattern.startsWith('^');
  const atEnd = !fixed && pattern.endsWith('$') && !pattern.endsWith('\\$');
  const wanted = fold(pattern.slice(Number(atStart), atEnd ? -1 : undefined));
  return (line) => {
    const text = fold(line);
    if (atStart && atEnd) return text === wanted;
    return atStart ? text.startsWith(wanted) : atEnd ? text.endsWith(wanted) : text.includes(wanted);
  };
}

/** `wc [-lc] [FILE]`; without an option, lines. */
const wc: Command = async (args, context) => {
  const { texts, status } = await readInputs(
    'wc',
    args.filter((arg) => !arg.startsWith('-')),
    context,
  );
  const text = texts.join('');
  context.write(
    'stdout',
    `${String(args.includes('-c') ? new TextEncoder().encode(text).length : text.split('\n').length - 1)}\n`,
  );
  return status;
};

export const TEXT_COMMANDS: readonly (readonly [string, Command])[] = [
  ['echo', echo],
  ['printf', printf],
  ['cat', cat],
  ['head', cut('head')],
  ['tail', cut('tail')],
  ['grep', grep],
  ['wc', wc],
];
