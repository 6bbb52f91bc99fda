import { createHostFiles } from '@rxlet/node-files';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { formatCpuSet } from './cpu-set.ts';
import type { MachineTopology } from './machine-topology.ts';
import { readMachineTopology } from './read-topology.ts';

/** CPU of a {@link kernelFiles}: its place, and the CPUs that share its last-level cache. */
interface FixtureCpu {
  readonly cpu: number;
  readonly node: number;
  readonly socket: number;
  readonly core: number;
  readonly cache: { readonly id: number; readonly cpus: string };
}

/** NUMA node of a fixture. */
interface FixtureNode {
  readonly id: number;
  readonly memoryKb: number;
  readonly distances: string;
  readonly pages?: number;
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Writes the files of a kernel below `/sys/devices/system`. */
function kernelFiles(
  cpus: readonly FixtureCpu[],
  nodes: readonly FixtureNode[],
  online?: string,
): Record<string, string> {
  const system = '/sys/devices/system';
  const files: Record<string, string> = {
    [`${system}/cpu/online`]: `${online ?? formatCpuSet(cpus.map(({ cpu }) => cpu))}\n`,
  };
  for (const { id, memoryKb, distances, pages = 0 } of nodes) {
    const folder = `${system}/node/node${String(id)}`;
    files[`${folder}/meminfo`] =
      `Node ${String(id)} MemTotal:       ${String(memoryKb)} kB\nNode ${String(id)} MemFree: 1 kB\n`;
    files[`${folder}/distance`] = `${distances}\n`;
    files[`${folder}/cpulist`] = '\n';
    files[`${folder}/hugepages/hugepages-2048kB/nr_hugepages`] = `${String(pages)}\n`;
  }
  for (const { cpu, node, socket, core, cache } of cpus) {
    const folder = `${system}/cpu/cpu${String(cpu)}`;
    if (nodes.length > 0) files[`${system}/node/node${String(node)}/cpu${String(cpu)}/uevent`] = '\n';
    files[`${folder}/topology/core_id`] = `${String(core)}\n`;
    files[`${folder}/topology/physical_package_id`] = `${String(socket)}\n`;
    files[`${folder}/cache/index0/level`] = '1\n';
    files[`${folder}/cache/index0/id`] = `${String(cpu)}\n`;
    files[`${folder}/cache/index0/shared_cpu_list`] = `${String(cpu)}\n`;
    files[`${folder}/cache/index3/level`] = '3\n';
    files[`${folder}/cache/index3/id`] = `${String(cache.id)}\n`;
    files[`${folder}/cache/index3/shared_cpu_list`] = `${cache.cpus}\n`;
  }
  return files;
}

function read(files: Record<string, string>): Promise<MachineTopology> {
  return readMachineTopology(createMemoryFiles({ files }).hostFiles);
}

/** Describes nodes as `socket:CPUs of each core@cache`. */
function describeCores({ numaNodes }: MachineTopology): string[] {
  return numaNodes.map(({ id, cores }) => {
    const texts = cores.map(
      ({ socket, cpus, uncoreCache }) =>
        `${String(socket)}:${formatCpuSet(cpus)}${uncoreCache === undefined ? '' : `@${String(uncoreCache)}`}`,
    );
    return `${String(id)} ${texts.join(' ')}`;
  });
}

const gib = 2 ** 20;

describe('readMachineTopology', () => {
  it('reads the machine that the test runs on', async () => {
    const { numaNodes } = await readMachineTopology(createHostFiles());
    expect(numaNodes.flatMap(({ cores }) => cores.flatMap(({ cpus }) => cpus)).length).toBeGreaterThan(0);
  });

  it('reads two sockets whose second threads are numbered last', async () => {
    const cpus = range(8).map((cpu) => {
      const socket = Math.floor((cpu % 4) / 2);
      return {
        cpu,
        node: socket,
        socket,
        core: cpu % 2,
        cache: { id: socket, cpus: socket === 0 ? '0-1,4-5' : '2-3,6-7' },
      };
    });
    const nodes = [
      { id: 0, memoryKb: 32 * gib, distances: '10 21', pages: 512 },
      { id: 1, memoryKb: 16 * gib, distances: '21 10' },
    ];
    const topology = await read(kernelFiles(cpus, nodes));
    expect(describeCores(topology)).toEqual(['0 0:0,4 0:1,5', '1 1:2,6 1:3,7']);
    expect(topology.numaNodes.map(({ memoryBytes, distances }) => [memoryBytes, distances])).toEqual([
      [32 * 2 ** 30, [10, 21]],
      [16 * 2 ** 30, [21, 10]],
    ]);
    expect(topology.numaNodes[0]?.hugePages).toEqual([{ sizeBytes: 2 ** 21, count: 512 }]);
  });

  it('reads eight sockets', async () => {
    const cpus = range(16).map((cpu) => {
      const socket = Math.floor(cpu / 2);
      const shared = `${String(2 * socket)}-${String(2 * socket + 1)}`;
      return { cpu, node: socket, socket, core: cpu % 2, cache: { id: socket, cpus: shared } };
    });
    const nodes = range(8).map((id) => ({ id, memoryKb: gib, distances: range(8).join(' ') }));
    expect(describeCores(await read(kernelFiles(cpus, nodes)))[7]).toBe('7 7:14 7:15');
  });

  it('reads last-level caches that only some cores of a node share', async () => {
    const cpus = range(8).map((cpu) => {
      const cache = { id: Math.floor(cpu / 4), cpus: cpu < 4 ? '0-3' : '4-7' };
      return { cpu, node: 0, socket: 0, core: Math.floor(cpu / 2), cache };
    });
    const topology = await read(kernelFiles(cpus, [{ id: 0, memoryKb: gib, distances: '10' }]));
    expect(describeCores(topology)).toEqual(['0 0:0-1@0 0:2-3@0 0:4-5@1 0:6-7@1']);
  });

  it('reads hybrid cores: fast ones with two threads, others with one', async () => {
    const places = [0, 0, 1, 1, 8, 9, 10, 11];
    const cpus = places.map((core, cpu) => ({ cpu, node: 0, socket: 0, core, cache: { id: 0, cpus: '0-7' } }));
    const { numaNodes } = await read(kernelFiles(cpus, [{ id: 0, memoryKb: gib, distances: '10' }]));
    expect(numaNodes[0]?.cores.map(({ cpus: threads }) => formatCpuSet(threads))).toEqual([
      '0-1',
      '2-3',
      '4',
      '5',
      '6',
      '7',
    ]);
  });

  it('reads nodes without CPUs, ids with gaps, and leaves out CPUs that are offline', async () => {
    const cpus = range(4).map((cpu) => ({ cpu, node: 0, socket: 0, core: cpu, cache: { id: 0, cpus: '0-2' } }));
    const nodes = [
      { id: 0, memoryKb: gib, distances: '10 17' },
      { id: 4, memoryKb: 8 * gib, distances: '17 10' },
    ];
    const topology = await read(kernelFiles(cpus, nodes, '0-2'));
    expect(describeCores(topology)).toEqual(['0 0:0 0:1 0:2', '4 ']);
    expect(topology.numaNodes[1]?.memoryBytes).toBe(8 * 2 ** 30);
  });

  it('takes sockets for nodes on a kernel without NUMA', async () => {
    const cpus = range(4).map((cpu) => ({
      ...{ cpu, node: 0, socket: Math.floor(cpu / 2), core: cpu % 2 },
      cache: { id: Math.floor(cpu / 2), cpus: cpu < 2 ? '0-1' : '2-3' },
    }));
    expect(describeCores(await read(kernelFiles(cpus, [])))).toEqual(['0 0:0 0:1', '1 1:2 1:3']);
  });

  it('fails without CPUs', async () => {
    await expect(read({})).rejects.toThrow('cannot read the topology of the machine: no CPUs');
  });
});
