import { resolvePath } from '../fs/file-system.ts';
import type { ProcessContext } from '../process/program.ts';
import type { Command } from './command.ts';

const COMPARISONS: ReadonlyMap<string, (a: number, b: number) => boolean> = new Map([
  ['-eq', (a, b) => a === b],
  ['-ne', (a, b) => a !== b],
  ['-lt', (a, b) => a < b],
  ['-le', (a, b) => a <= b],
  ['-gt', (a, b) => a > b],
  ['-ge', (a, b) => a >= b],
]);

/** `undefined`: no such expression. */
function evaluate(args: readonly string[], context: ProcessContext): boolean | undefined {
  if (args[0] === '!') {
    const value = evaluate(args.slice(1), context);
    return value === undefined ? undefined : !value;
  }
  const [first = '', second = '', third = ''] = args;
  if (args.length === 0) return false;
  if (args.length === 1) return first !== '';
  if (args.length === 2) {
    if (first === '-n') return second !== '';
    if (first === '-z') return second === '';
    const path = resolvePath(context.workingDirectory, second);
    const kind = context.files.kind(path);
    if (first === '-f') return kind === 'file';
    if (first === '-d') return kind === 'directory';
    if (first === '-s') return kind === 'file' && context.files.read(path) !== '';
    return ['-e', '-r', '-w', '-x'].includes(first) ? kind !== undefined : undefined;
  }
  if (args.length > 3) return undefined;
  if (second === '=' || second === '==') return first === third;
  if (second === '!=') return first !== third;
  const compare = COMPARISONS.get(second);
  return compare !== undefined && /^-?\d+$/.test(first) && /^-?\d+$/.test(third)
    ? compare(Number(first), Number(third))
    : undefined;
}

/** `test EXPRESSION` and `[ EXPRESSION ]`: files, strings and whole numbers; `!`, but no `-a` and `-o`. */
const test =
  (name: string): Command =>
  (args, context) => {
    const closed = name === 'test' || args.at(-1) === ']';
    const value = closed ? evaluate(name === 'test' ? args : args.slice(0, -1), context) : undefined;
    if (value !== undefined) return Number(!value);
    context.write('stderr', `sh: ${name}: ${closed ? 'bad expression' : 'missing ]'}\n`);
    return 2;
  };

export const TEST_COMMANDS: readonly (readonly [string, Command])[] = [
  ['test', test('test')],
  ['[', test('[')],
];
