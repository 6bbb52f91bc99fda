import type { KernelFiles } from './cgroup/kernel-files.ts';

/** Files of a kernel in memory, by their paths. */
export interface MemoryKernelFiles extends KernelFiles {
  readonly texts: Map<string, string>;
  /** Number of files that were read. */
  reads(): number;
}

/** Creates {@link MemoryKernelFiles}. All were modified at `modifiedMs`. */
export function memoryKernelFiles(texts: Readonly<Record<string, string>>, modifiedMs = 1000): MemoryKernelFiles {
  const files = new Map(Object.entries(texts));
  let reads = 0;
  const below = (path: string): string[] => [...files.keys()].filter((file) => file.startsWith(`${path}/`));
  return {
    texts: files,
    reads: () => reads,
    read(path) {
      reads += 1;
      return files.get(path);
    },
    list: async (path) => [...new Set(below(path).map((file) => file.slice(path.length + 1).split('/')[0]!))],
    readLink: (path) => files.get(path),
    modifiedMs: (path) => (files.has(path) || below(path).length > 0 ? modifiedMs : undefined),
  };
}

/** Returns files with a directory before their names. */
export function inDirectory(directory: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${directory}/${name}`, text]));
}

/** Mount table of cgroup v2. */
export const VERSION_TWO = { '/proc/self/mounts': 'cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n' };

/** Files of the machine. */
export const MACHINE = {
  '/proc/meminfo': 'MemTotal:        1000 kB\nSwapTotal:        100 kB\nSwapFree:          40 kB\n',
  '/proc/stat': 'cpu  1 2 3\nbtime 1700000000\n',
  '/proc/loadavg': '0.10 0.20 0.30 2/345 6789\n',
  '/proc/sys/kernel/pid_max': '32768\n',
  '/proc/sys/kernel/threads-max': '9000\n',
  '/proc/cpuinfo': 'processor\t: 0\nphysical id\t: 0\ncore id\t\t: 0\n',
  '/proc/1/net/dev': netDev('eth0', 100),
};

/** Returns `/proc/<pid>/net/dev` with the loopback and one interface, whose counts begin with `first`. */
export function netDev(name: string, first: number): string {
  const counts = Array.from({ length: 16 }, (_, index) => String(first + index)).join(' ');
  return `Inter-|   Receive\n face |bytes\n    lo: ${counts}\n  ${name}:${counts}\n  vethabc: ${counts}\n`;
}

/** Returns the files of a cgroup of version 2. */
export function cgroupTwo(
  cpuUsec: number,
  memoryBytes: number,
  others: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    'cpu.stat': `usage_usec ${String(cpuUsec)}\nuser_usec 600\nsystem_usec 400\nnr_periods 5\nnr_throttled 2\nthrottled_usec 30\nnr_bursts 1\nburst_usec 4\n`,
    'memory.current': `${String(memoryBytes)}\n`,
    'memory.stat':
      'anon 300\nfile 500\nkernel 20\nfile_mapped 40\ninactive_file 200\nactive_file 250\npgfault 11\npgmajfault 3\n',
    'memory.swap.current': '8\n',
    'memory.max': 'max\n',
    'memory.swap.max': 'max\n',
    ...others,
  };
}
