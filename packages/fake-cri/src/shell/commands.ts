import { sleep } from '@rxlet/component-base';
import type { ProcessContext } from '../process/program.ts';

/** A command that is known by name, in a shell as well as on its own. It returns its exit status. */
export type Command = (args: readonly string[], context: ProcessContext) => number | Promise<number>;

/** The programs that the fake has: `echo`, `sleep`, `true`, `false`. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['echo', echo],
  ['sleep', sleepCommand],
  ['true', () => 0],
  ['false', () => 1],
]);

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\' };

/** `echo [-neE] [WORD…]`, as busybox has it. */
function echo(args: readonly string[], context: ProcessContext): number {
  const firstWord = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  const words = firstWord < 0 ? [] : args.slice(firstWord);
  const flags = args.slice(0, args.length - words.length).join('');
  const text = words.join(' ');
  const unescaped = flags.includes('e') ? text.replace(/\\([ntr\\])/g, (_, char: string) => ESCAPES[char]!) : text;
  context.write('stdout', flags.includes('n') ? unescaped : `${unescaped}\n`);
  return 0;
}

const UNIT_MS: Readonly<Record<string, number>> = { '': 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Shorter than the longest time that a timer of Node.js can take (24.8 days). */
const LONGEST_TIMER_MS = 86_400_000;

/** `sleep NUMBER[smhd]…` or `sleep infinity`: the numbers may have fractions and are added up. */
async function sleepCommand(args: readonly string[], context: ProcessContext): Promise<number> {
  if (args.length === 0) {
    context.write('stderr', 'sleep: missing operand\n');
    return 1;
  }
  let remainingMs = 0;
  for (const arg of args) {
    const durationMs = parseDuration(arg);
    if (durationMs === undefined) {
      context.write('stderr', `sleep: invalid number '${arg}'\n`);
      return 1;
    }
    remainingMs += durationMs;
  }
  for (; remainingMs > 0; remainingMs -= LONGEST_TIMER_MS) {
    await sleep(context.clock, Math.min(remainingMs, LONGEST_TIMER_MS), context.signal);
  }
  return 0;
}

function parseDuration(text: string): number | undefined {
  if (/^inf(inity)?$/i.test(text)) return Infinity;
  const match = /^(\d+\.?\d*|\.\d+)([smhd]?)$/.exec(text);
  return match === null ? undefined : Number(match[1]) * UNIT_MS[match[2]!]!;
}
