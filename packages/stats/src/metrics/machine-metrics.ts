import type { MachineFacts } from '@rxlet/machine';
import type { MetricFamily } from './exposition.ts';

/** Facts about the CPUs of a machine. */
export interface CpuTopology {
  readonly physicalCores: number;
  readonly sockets: number;
}

/** Parses `/proc/cpuinfo`; `undefined` for architectures where it does not show cores and sockets. */
export function parseCpuTopology(cpuinfo: string | undefined): CpuTopology | undefined {
  const blocks = (cpuinfo ?? '').split('\n\n').map((block) => ({
    socket: /^physical id\s*: (\d+)$/m.exec(block)?.[1],
    core: /^core id\s*: (\d+)$/m.exec(block)?.[1],
  }));
  const known = blocks.filter(({ socket, core }) => socket !== undefined && core !== undefined);
  if (known.length === 0) return undefined;
  return {
    physicalCores: new Set(known.map(({ socket, core }) => `${String(socket)}/${String(core)}`)).size,
    sockets: new Set(known.map(({ socket }) => socket)).size,
  };
}

/** Returns the metrics of the machine, with cAdvisor's names and texts. */
export function machineMetrics(facts: MachineFacts, topology: CpuTopology | undefined): readonly MetricFamily[] {
  const labels = { boot_id: facts.bootId, machine_id: facts.machineId, system_uuid: facts.systemUuid };
  const gauge = (name: string, help: string, value: number | undefined): MetricFamily => {
    return { name, help, type: 'gauge', samples: value === undefined ? [] : [{ labels, value }] };
  };
  return [
    {
      name: 'cadvisor_version_info',
      help: "A metric with a constant '1' value labeled by kernel version, OS version, docker version, cadvisor version & cadvisor revision.",
      type: 'gauge',
      samples: [{ labels: versionLabels(facts), value: 1 }],
    },
    gauge('machine_cpu_cores', 'Number of logical CPU cores.', facts.cores),
    gauge('machine_cpu_physical_cores', 'Number of physical CPU cores.', topology?.physicalCores),
    gauge('machine_cpu_sockets', 'Number of CPU sockets.', topology?.sockets),
    gauge('machine_memory_bytes', 'Amount of memory installed on the machine.', facts.memoryBytes),
    gauge('machine_swap_bytes', 'Amount of swap memory available on the machine.', facts.swapBytes),
  ];
}

/** A kubelet has neither a Docker nor a version of cAdvisor of its own either. */
function versionLabels({ kernelVersion, osImage }: MachineFacts): Readonly<Record<string, string>> {
  return { cadvisorRevision: '', cadvisorVersion: '', dockerVersion: '', kernelVersion, osVersion: osImage };
}
