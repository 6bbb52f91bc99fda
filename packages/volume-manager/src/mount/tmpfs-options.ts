import { readFileSync } from 'node:fs';
import { release } from 'node:os';

/** Reports whether the kernel accepts the option `noswap` of tmpfs: from version 6.4 on, outside of user namespaces. */
export function kernelSupportsNoSwap(kernel: string = release(), uidMap: string = readUidMap()): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map((part) => Number.parseInt(part, 10));
  const isInitialNamespace = /^\s*0\s+0\s+4294967295\s*$/.test(uidMap);
  return isInitialNamespace && (major > 6 || (major === 6 && minor >= 4));
}

function readUidMap(): string {
  try {
    return readFileSync('/proc/self/uid_map', 'latin1');
  } catch {
    return '';
  }
}
