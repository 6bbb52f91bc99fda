import type { HostFiles } from '@rxlet/node-files';
import type { HugePages } from '../machine.ts';
import { hugePageFolderBytes } from '../parse-kernel-files.ts';
import { type CpuSet, parseCpuSet, sortedCpus } from './cpu-set.ts';
import type { CpuCore, MachineTopology, NumaNode } from './machine-topology.ts';

const NODES = '/sys/devices/system/node';
const CPUS = '/sys/devices/system/cpu';
const MAX_FILE_BYTES = 1024 * 1024;
/** Lowest level of caches that several cores share. */
const SHARED_CACHE_LEVEL = 3;

type TopologyFiles = Pick<HostFiles, 'list' | 'read'>;

/** CPU with its place in the machine. */
interface PlacedCpu {
  readonly cpu: number;
  readonly core: string;
  readonly socket: number;
}

/**
 * Reads the topology of this Linux machine from `/sys`, as a kubelet sees it: CPUs that are offline, and those without a core, are left out. Without NUMA
 * support in the kernel each socket counts as a node.
 * @throws Error when the kernel reports no CPUs
 */
export async function readMachineTopology(files: TopologyFiles): Promise<MachineTopology> {
  const online = parseCpuSet(await readText(files, `${CPUS}/online`));
  const isOnline = (cpu: number): boolean => online === undefined || online.size === 0 || online.has(cpu);
  const nodes = await numberedEntries(files, NODES, 'node');
  const numaNodes = nodes.length > 0 ? await readNodes(files, nodes, isOnline) : await readSockets(files, isOnline);
  if (numaNodes.every(({ cores }) => cores.length === 0))
    throw new Error(`cannot read the topology of the machine: no CPUs in "${NODES}" and "${CPUS}"`);
  return { numaNodes };
}

function readNodes(
  files: TopologyFiles,
  ids: readonly number[],
  isOnline: (cpu: number) => boolean,
): Promise<NumaNode[]> {
  return Promise.all(
    ids.map(async (id) => {
      const folder = `${NODES}/node${String(id)}`;
      const cpus = (await numberedEntries(files, folder, 'cpu')).filter(isOnline);
      const [cores, meminfo, distances, hugePages] = await Promise.all([
        readCores(files, await placeCpus(files, cpus)),
        readText(files, `${folder}/meminfo`),
        readText(files, `${folder}/distance`),
        readHugePages(files, `${folder}/hugepages`),
      ]);
      const memoryBytes = Number(/MemTotal:\s+(\d+) kB/.exec(meminfo)?.[1] ?? 0) * 1024;
      return { id, memoryBytes, hugePages, ...(distances && { distances: distances.split(/\s+/).map(Number) }), cores };
    }),
  );
}

async function readSockets(files: TopologyFiles, isOnline: (cpu: number) => boolean): Promise<NumaNode[]> {
  const placed = await placeCpus(files, (await numberedEntries(files, CPUS, 'cpu')).filter(isOnline));
  const sockets = sortedCpus(new Set(placed.map(({ socket }) => socket)));
  return Promise.all(
    sockets.map(async (id) => {
      const cores = await readCores(
        files,
        placed.filter(({ socket }) => socket === id),
      );
      return { id, memoryBytes: 0, hugePages: [], cores };
    }),
  );
}

async function placeCpus(files: TopologyFiles, cpus: readonly number[]): Promise<PlacedCpu[]> {
  const placed = await Promise.all(
    cpus.map(async (cpu) => {
      const folder = `${CPUS}/cpu${String(cpu)}/topology`;
      const core = await readText(files, `${folder}/core_id`);
      const socket = await readText(files, `${folder}/physical_package_id`);
      return core === '' || socket === '' ? [] : [{ cpu, core, socket: Number(socket) }];
    }),
  );
  return placed.flat();
}

/** Groups the CPUs of a node by core. Numbers of cores are unique within a socket only. */
async function readCores(files: TopologyFiles, placed: readonly PlacedCpu[]): Promise<CpuCore[]> {
  const groups = Map.groupBy(placed, ({ core, socket }) => `${String(socket)}/${core}`);
  const cores = [...groups.values()].map((group) => ({
    socket: group[0]!.socket,
    cpus: group.map(({ cpu }) => cpu),
  }));
  return Promise.all(
    cores.map(async (core) => {
      const uncoreCache = await readUncoreCache(files, core.cpus[0]!, cores.length * core.cpus.length);
      return { ...core, ...(uncoreCache !== undefined && { uncoreCache }) };
    }),
  );
}

/** Returns the id of the first cache of level 3 or higher that the CPU does not share with exactly all CPUs of its node. */
async function readUncoreCache(files: TopologyFiles, cpu: number, nodeCpus: number): Promise<number | undefined> {
  const folder = `${CPUS}/cpu${String(cpu)}/cache`;
  for (const index of await numberedEntries(files, folder, 'index')) {
    const cache = `${folder}/index${String(index)}`;
    const level = Number(await readText(files, `${cache}/level`));
    const shared: CpuSet | undefined = parseCpuSet(await readText(files, `${cache}/shared_cpu_list`));
    const id = await readText(files, `${cache}/id`);
    if (level >= SHARED_CACHE_LEVEL && shared !== undefined && shared.size !== nodeCpus && /^\d+$/.test(id))
      return Number(id);
  }
  return undefined;
}

async function readHugePages(files: TopologyFiles, folder: string): Promise<HugePages[]> {
  const listing = await files.list(folder).catch(() => undefined);
  const pages = await Promise.all(
    (listing?.entries ?? []).map(async ({ name }) => {
      const sizeBytes = hugePageFolderBytes(name);
      if (sizeBytes === undefined) return [];
      return [{ sizeBytes, count: Number(await readText(files, `${folder}/${name}/nr_hugepages`)) || 0 }];
    }),
  );
  return pages.flat().sort((left, right) => left.sizeBytes - right.sizeBytes);
}

/** Returns the numbers of the entries `<prefix><number>` of a folder in ascending order; none when there is no such folder. */
async function numberedEntries(files: TopologyFiles, folder: string, prefix: string): Promise<number[]> {
  const listing = await files.list(folder).catch(() => undefined);
  const names = (listing?.entries ?? []).map(({ name }) => name);
  return sortedCpus(
    names
      .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
      .map((name) => Number(name.slice(prefix.length))),
  );
}

/** Returns the trimmed text of a file; the empty text when it cannot be read. */
async function readText(files: TopologyFiles, path: string): Promise<string> {
  const file = await files.read(path, MAX_FILE_BYTES).catch(() => undefined);
  return file === undefined ? '' : Buffer.from(file.bytes).toString().trim();
}
