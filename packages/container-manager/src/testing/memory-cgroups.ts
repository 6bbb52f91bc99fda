import { dirname } from 'node:path';
import type { CgroupFileSystem } from '../tree/cgroup-file-system.ts';
import type { CgroupController, CgroupWrite, HugePageSize } from '../values/cgroup-writes.ts';

/** Options of {@link createMemoryCgroups}. */
export interface MemoryCgroupsOptions {
  /** Default 2. */
  readonly version?: 1 | 2;
  /** Default: all. */
  readonly controllers?: readonly CgroupController[];
  /** Default: 2 MiB and 1 GiB. */
  readonly hugePageSizes?: readonly HugePageSize[];
  /** Cgroups that exist from the start. */
  readonly existing?: readonly string[];
}

/** Cgroups in memory. A cgroup has the files that were written. */
export interface MemoryCgroups extends CgroupFileSystem {
  /** Returns the paths of all cgroups, sorted; without the root. */
  paths(): readonly string[];
  /** Returns the files of a cgroup with the contents last written. */
  files(path: string): Readonly<Record<string, string>>;
  /** Adds a process to a cgroup, which is created. A process that `survives` a number of kills ends only with the next one. */
  putProcess(path: string, pid: number, survives?: number): void;
  /** Sets the memory in use. cgroup v1 rejects lower limits with EBUSY. */
  setMemoryUsage(path: string, bytes: number): void;
  /** Makes a call fail, until it is called with `undefined`. */
  fail(call: 'create' | 'write' | 'remove' | 'addProcess', path: string, error: Error | undefined): void;
}

const EVERY_CONTROLLER: readonly CgroupController[] = ['cpu', 'cpuset', 'memory', 'pids', 'hugetlb'];
const PAGE_SIZES: readonly HugePageSize[] = [
  { bytes: '2097152', name: '2MB' },
  { bytes: '1073741824', name: '1GB' },
];

interface Cgroup {
  readonly files: Map<string, string>;
  /** Process id → kills that it survives. */
  readonly processes: Map<number, number>;
}

/** Creates cgroups in memory, for tests. */
export function createMemoryCgroups(options: MemoryCgroupsOptions = {}): MemoryCgroups {
  const { version = 2, controllers = EVERY_CONTROLLER, hugePageSizes = PAGE_SIZES, existing = [] } = options;
  const cgroups = new Map<string, Cgroup>([['/', { files: new Map(), processes: new Map() }]]);
  const usage = new Map<string, number>();
  const faults = new Map<string, Error>();

  const make = (path: string): Cgroup => {
    const found = cgroups.get(path);
    if (found !== undefined) return found;
    make(dirname(path));
    const cgroup: Cgroup = { files: new Map(), processes: new Map() };
    cgroups.set(path, cgroup);
    return cgroup;
  };
  const isBelow = (path: string, parent: string): boolean =>
    path !== parent && path.startsWith(parent === '/' ? '/' : `${parent}/`);
  const check = (call: string, path: string): void => {
    const fault = faults.get(`${call} ${path}`);
    if (fault !== undefined) throw fault;
  };
  const usageFile = version === 1 ? 'memory.usage_in_bytes' : 'memory.current';
  for (const path of existing) make(path);

  return {
    format: { version, hugePageSizes },
    controllers: new Set(controllers),
    exists: async (path) => cgroups.has(path),
    async create(path) {
      check('create', path);
      make(path);
    },
    async write(path, write) {
      check('write', path);
      const cgroup = cgroups.get(path);
      if (cgroup === undefined) throw systemError('ENOENT', `no cgroup ${path}`);
      if (isBelowUsage(write, usage.get(path) ?? 0)) throw systemError('EBUSY', 'device or resource busy');
      cgroup.files.set(write.file, write.content);
    },
    async read(path, _controller, file) {
      if (file === usageFile && cgroups.has(path)) return String(usage.get(path) ?? 0);
      return cgroups.get(path)?.files.get(file);
    },
    async children(path) {
      const above = path === '/' ? path : `${path}/`;
      return [...cgroups.keys()]
        .filter((key) => key.length > above.length && key.startsWith(above) && !key.includes('/', above.length))
        .map((key) => key.slice(above.length));
    },
    processes: async (path) => [...(cgroups.get(path)?.processes.keys() ?? [])],
    async addProcess(path, pid) {
      check('addProcess', path);
      const target = cgroups.get(path);
      if (target === undefined) throw systemError('ENOENT', `no cgroup ${path}`);
      for (const { processes } of cgroups.values()) processes.delete(pid);
      target.processes.set(pid, 0);
    },
    async kill(path) {
      let killed = 0;
      for (const [key, { processes }] of cgroups) {
        if (key !== path && !isBelow(key, path)) continue;
        for (const [pid, survives] of processes) {
          killed++;
          if (survives === 0) processes.delete(pid);
          else processes.set(pid, survives - 1);
        }
      }
      return killed;
    },
    async remove(path) {
      check('remove', path);
      const cgroup = cgroups.get(path);
      if (cgroup === undefined) return;
      if (cgroup.processes.size > 0) throw systemError('EBUSY', 'device or resource busy');
      if ([...cgroups.keys()].some((key) => isBelow(key, path))) throw systemError('EBUSY', 'device or resource busy');
      cgroups.delete(path);
    },
    paths: () => [...cgroups.keys()].filter((path) => path !== '/').sort(),
    files: (path) => Object.fromEntries(cgroups.get(path)?.files ?? []),
    putProcess: (path, pid, survives = 0) => void make(path).processes.set(pid, survives),
    setMemoryUsage: (path, bytes) => void usage.set(path, bytes),
    fail(call, path, error) {
      if (error === undefined) faults.delete(`${call} ${path}`);
      else faults.set(`${call} ${path}`, error);
    },
  };
}

function isBelowUsage({ file, content }: Omit<CgroupWrite, 'optional'>, usageBytes: number): boolean {
  return file === 'memory.limit_in_bytes' && content !== '-1' && Number(content) < usageBytes;
}

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}
