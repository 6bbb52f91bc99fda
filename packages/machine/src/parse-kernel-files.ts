import { parseCpuSet } from './topology/cpu-set.ts';

/** Returns the number of CPUs in a kernel list such as `0-3,8`; `undefined` for any other text. */
export function countCpus(list: string): number | undefined {
  return parseCpuSet(list)?.size || undefined;
}

/** Returns an amount such as `MemTotal` in bytes, from the text of `/proc/meminfo`; `undefined` without it. */
export function memoryInfoBytes(meminfo: string, name: string): number | undefined {
  const amount = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(meminfo)?.[1];
  return amount === undefined ? undefined : Number(amount) * 1024;
}

/** Returns the size in bytes of the pages of a folder such as `hugepages-2048kB`; `undefined` for any other name. */
export function hugePageFolderBytes(name: string): number | undefined {
  const kilobytes = Number(/^hugepages-(\d+)kB$/.exec(name)?.[1] ?? 0);
  return kilobytes > 0 ? kilobytes * 1024 : undefined;
}

/** Returns the lowest of the limits that are numbers (kubelet: pidlimit.Stats). */
export function lowestLimit(limits: readonly string[]): number | undefined {
  const numbers = limits.filter((text) => /^\d+$/.test(text)).map(Number);
  return numbers.length === 0 ? undefined : Math.min(...numbers);
}

/** Returns the name of the distribution, from the text of `/etc/os-release`. */
export function osPrettyName(osRelease: string): string | undefined {
  const value = /^PRETTY_NAME=(.*)$/m.exec(osRelease)?.[1]?.trim();
  const unquoted = value?.replace(/^(["'])(.*)\1$/, '$2').replace(/\\(["'$`\\])/g, '$1');
  return unquoted || undefined;
}
