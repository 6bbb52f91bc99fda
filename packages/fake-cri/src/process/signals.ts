import { Signal } from '@rxlet/cri-api';

/** Linux signal numbers by name, as in programs and shells. */
const NUMBERS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGIOT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGSTKFLT: 16,
  SIGCHLD: 17,
  SIGCLD: 17,
  SIGCONT: 18,
  SIGSTOP: 19,
  SIGTSTP: 20,
  SIGTTIN: 21,
  SIGTTOU: 22,
  SIGURG: 23,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGVTALRM: 26,
  SIGPROF: 27,
  SIGWINCH: 28,
  SIGIO: 29,
  SIGPOLL: 29,
  SIGPWR: 30,
  SIGSYS: 31,
};

export const SIGKILL = 9;
export const SIGTERM = 15;

const FIRST_REAL_TIME = 34;
const LAST_REAL_TIME = 64;

/** Signals that do not end a program that has no handler for them: SIGCHLD, SIGCONT, SIGURG, SIGWINCH, and those that only stop it. */
export const HARMLESS_SIGNALS: ReadonlySet<number> = new Set([17, 18, 19, 20, 21, 22, 23, 28]);

/** Returns the number of a signal in a shell script: `TERM`, `SIGTERM` or `15`. `undefined` for an unknown one. */
export function signalNumber(name: string): number | undefined {
  if (/^\d+$/.test(name)) return Number(name) <= LAST_REAL_TIME ? Number(name) : undefined;
  const upper = name.toUpperCase();
  return NUMBERS[upper.startsWith('SIG') ? upper : `SIG${upper}`];
}

/** Returns the number of a signal of the CRI, whose enum has values of its own; SIGTERM for the runtime's default. */
export function criSignalNumber(signal: Signal): number {
  const name = Signal[signal] ?? '';
  const [, bound, offset = '0'] = /^SIGRT(MIN|MAX)(?:(?:PLUS|MINUS)(\d+))?$/.exec(name) ?? [];
  if (bound === 'MIN') return FIRST_REAL_TIME + Number(offset);
  if (bound === 'MAX') return LAST_REAL_TIME - Number(offset);
  return NUMBERS[name] ?? SIGTERM;
}
