import { sleep } from '@rxlet/component-base';
import type { ProcessContext } from '../process/program.ts';
import { FILE_COMMANDS } from './file-commands.ts';
import { NETWORK_COMMANDS } from './network-commands.ts';
import { PRIVILEGED_COMMANDS } from './privileged-commands.ts';
import { PROCESS_COMMANDS } from './process-commands.ts';
import { TEST_COMMANDS } from './test-command.ts';
import { TEXT_COMMANDS } from './text-commands.ts';
import { USER_COMMANDS } from './user-commands.ts';
import type { Command } from './command.ts';

const UNIT_MS: Readonly<Record<string, number>> = { '': 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Maximum sleep, below the longest timer of Node.js (24.8 days). */
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

/** `date [+%s]`: in UTC; of the formats only seconds since the epoch and `%FT%TZ`. */
const date: Command = ([format], { clock, write }) => {
  const now = new Date(clock.now());
  if (format === undefined) write('stdout', `${now.toUTCString().replace('GMT', 'UTC')}\n`);
  else if (format === '+%s') write('stdout', `${String(Math.floor(clock.now() / 1000))}\n`);
  else if (format === '+%FT%TZ') write('stdout', `${now.toISOString().slice(0, 19)}Z\n`);
  else {
    write('stderr', `date: format ${format} is not supported\n`);
    return 1;
  }
  return 0;
};

/** `env`, `printenv [NAME]` */
const printEnvironment: Command = ([name], { env, write }) => {
  if (name === undefined) {
    for (const [key, value] of env) write('stdout', `${key}=${value}\n`);
    return 0;
  }
  const value = env.get(name);
  if (value !== undefined) write('stdout', `${value}\n`);
  return Number(value === undefined);
};

const printWorkingDirectory: Command = (_args, { workingDirectory, write }) => {
  write('stdout', `${workingDirectory}\n`);
  return 0;
};

/** The built-in programs by name. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['sleep', sleepCommand],
  ['true', () => 0],
  ['false', () => 1],
  ['date', date],
  ['env', printEnvironment],
  ['printenv', printEnvironment],
  ['sync', () => 0],
  ['pwd', printWorkingDirectory],
  ...TEXT_COMMANDS,
  ...USER_COMMANDS,
  ...PROCESS_COMMANDS,
  ...PRIVILEGED_COMMANDS,
  ...FILE_COMMANDS,
  ...TEST_COMMANDS,
  ...NETWORK_COMMANDS,
]);
