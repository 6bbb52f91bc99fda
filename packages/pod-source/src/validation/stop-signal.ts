import type { PodSpec } from '@rxlet/kube-api';
import type { Report } from '@rxlet/pod-model/validation';

const numbered = (prefix: string, from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `${prefix}${String(from + index)}`);

/** Signals that a container may be stopped with, by operating system. */
const supportedSignals: Readonly<Record<string, readonly string[]>> = {
  linux: [
    ...['SIGABRT', 'SIGALRM', 'SIGBUS', 'SIGCHLD', 'SIGCLD', 'SIGCONT', 'SIGFPE', 'SIGHUP', 'SIGILL', 'SIGINT'],
    ...['SIGIO', 'SIGIOT', 'SIGKILL', 'SIGPIPE', 'SIGPOLL', 'SIGPROF', 'SIGPWR', 'SIGQUIT', 'SIGSEGV', 'SIGSTKFLT'],
    ...['SIGSTOP', 'SIGSYS', 'SIGTERM', 'SIGTRAP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU', 'SIGURG', 'SIGUSR1', 'SIGUSR2'],
    ...['SIGVTALRM', 'SIGWINCH', 'SIGXCPU', 'SIGXFSZ', 'SIGRTMIN', ...numbered('SIGRTMIN+', 1, 15)],
    ...['SIGRTMAX', ...numbered('SIGRTMAX-', 1, 14)],
  ],
  windows: ['SIGKILL', 'SIGTERM'],
};

/** Checks the stop signal of a container. Which signals exist depends on the operating system, so the pod must name it. */
export function validateStopSignal(signal: string, { os }: PodSpec, at: string, report: Report): void {
  if (os === undefined) return report.forbidden(at, 'may be set only beside spec.os.name');
  const supported = supportedSignals[os.name ?? ''];
  if (supported !== undefined) report.oneOf(at, signal, supported);
}
