import { commandName, processTitle } from '../process/process-title.ts';
import { signalNumber } from '../process/signals.ts';
import type { Command } from './command.ts';

/** Maximum number of lines of one `seq`. */
const MAX_SEQUENCE = 100_000;

/** `ps`, whatever its options: the processes that the container sees. */
const ps: Command = (_args, { processes, write }) => {
  const lines = processes().map(({ pid, argv, uid }) => {
    const user = uid === 0n ? 'root' : String(uid);
    return `${String(pid).padStart(5)} ${user.padEnd(8)}  0:00 ${processTitle(argv)}\n`;
  });
  write('stdout', `  PID USER     TIME  COMMAND\n${lines.join('')}`);
  return 0;
};

/** `pidof NAME…` */
const pidof: Command = (names, { processes, write }) => {
  const found = processes().filter(({ argv }) => names.includes(commandName(argv)));
  if (found.length > 0) write('stdout', `${found.map(({ pid }) => String(pid)).join(' ')}\n`);
  return Number(found.length === 0);
};

/** `pgrep [-f] PATTERN`: the pattern is a fixed string. It does not find itself. */
const pgrep: Command = (args, context) => {
  const full = args.includes('-f');
  const pattern = args.find((arg) => !arg.startsWith('-'));
  if (pattern === undefined) {
    context.write('stderr', 'pgrep: no pattern\n');
    return 2;
  }
  const found = context
    .processes()
    .filter(
      ({ pid, argv }) => pid !== context.pid && (full ? processTitle(argv) : commandName(argv)).includes(pattern),
    );
  for (const { pid } of found) context.write('stdout', `${String(pid)}\n`);
  return Number(found.length === 0);
};

/** `kill [-SIGNAL|-s SIGNAL] PID…`; 1 is the program of the container, unless it shares the processes of its pod or of the host. */
const kill: Command = (args, { kill: send, write }) => {
  const [, option] = /^-(.+)$/.exec(args[0] ?? '') ?? [];
  const [name, pids] =
    option === undefined ? ['TERM', args] : option === 's' ? [args[1] ?? '', args.slice(2)] : [option, args.slice(1)];
  const signal = signalNumber(name);
  if (signal === undefined || pids.length === 0) {
    write('stderr', `kill: bad signal name '${name}' or no process\n`);
    return 1;
  }
  let status = 0;
  for (const pid of pids) {
    if (send(Number(pid), signal)) continue;
    write('stderr', `kill: can't kill pid ${pid}: No such process\n`);
    status = 1;
  }
  return status;
};

/** `seq [FIRST [STEP]] LAST` with whole numbers. */
const seq: Command = (args, { write }) => {
  const numbers = args.map(Number);
  const [first, step, last] =
    numbers.length === 1 ? [1, 1, numbers[0]!] : numbers.length === 2 ? [numbers[0]!, 1, numbers[1]!] : numbers;
  const isValid = numbers.length >= 1 && numbers.length <= 3 && numbers.every(Number.isSafeInteger) && step !== 0;
  const count = isValid ? Math.floor((last! - first!) / step!) + 1 : NaN;
  if (!(count <= MAX_SEQUENCE)) {
    write('stderr', `seq: ${isValid ? 'too many numbers' : `invalid arguments: ${args.join(' ')}`}\n`);
    return 1;
  }
  for (let index = 0; index < count; index += 1) write('stdout', `${String(first! + index * step!)}\n`);
  return 0;
};

const SIZE_UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

/**
 * `dd if=/dev/zero of=/dev/null [bs=SIZE] [count=N]`: without a count it runs until it is stopped. A block that is larger than the container's memory limit gets the
 * process killed, as its buffer would.
 */
const dd: Command = (args, context) => {
  const options = new Map(args.map((arg) => arg.split('=', 2) as [string, string]));
  const [, number, unit] = /^(\d+)([kKMG]?)$/.exec(options.get('bs') ?? '512') ?? [];
  if (number === undefined || options.get('if') !== '/dev/zero' || options.get('of') !== '/dev/null') {
    context.write('stderr', `dd: ${args.join(' ')} is not supported: only if=/dev/zero of=/dev/null bs=SIZE count=N\n`);
    return 1;
  }
  const limit = context.memoryLimitBytes();
  if (limit > 0 && Number(number) * SIZE_UNITS[unit!]! > limit) {
    context.oomKill();
    return 137;
  }
  const count = options.get('count');
  if (count === undefined) return new Promise(() => undefined);
  context.write('stderr', `${count}+0 records in\n${count}+0 records out\n`);
  return 0;
};

export const PROCESS_COMMANDS: readonly (readonly [string, Command])[] = [
  ['ps', ps],
  ['pidof', pidof],
  ['pgrep', pgrep],
  ['kill', kill],
  ['seq', seq],
  ['dd', dd],
];
