import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** Leaves no file descriptor to this process until its disposal. Needs Linux, and the program `prlimit`. */
export function useAllDescriptors(): Disposable {
  const setLimit = (limit: string): void => void execFileSync('prlimit', ['--pid', String(process.pid), limit]);
  const [, soft = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
  const highest = Math.max(...readdirSync('/proc/self/fd').map(Number));
  setLimit(`--nofile=${String(highest + 30)}:`);
  const used: number[] = [];
  try {
    for (;;) used.push(openSync('/dev/null', 'r'));
  } catch {
    // None is left.
  }
  return {
    [Symbol.dispose]() {
      used.forEach((descriptor) => closeSync(descriptor));
      setLimit(`--nofile=${soft}:`);
    },
  };
}
