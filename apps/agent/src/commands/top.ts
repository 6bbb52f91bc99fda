import { formatTable } from '../output/table.ts';
import { type AgentConnection, AgentConnectionError } from './agent-connection.ts';
import type { Terminal } from './terminal.ts';

/** Use of CPU and memory in `/stats/summary`. */
interface Usage {
  readonly cpu?: { readonly usageNanoCores?: number };
  readonly memory?: { readonly workingSetBytes?: number; readonly availableBytes?: number };
}

/** The parts of `/stats/summary` that are shown. */
interface Summary {
  readonly node: Usage & { readonly nodeName: string };
  readonly pods: readonly (Usage & {
    readonly podRef: { readonly name: string; readonly namespace: string };
    readonly containers?: readonly (Usage & { readonly name: string })[];
  })[];
}

/** Options of {@link topPods}. */
export interface TopPodsOptions {
  readonly name?: string;
  readonly namespace?: string;
  /** Lists each container. */
  readonly containers: boolean;
  readonly sortBy?: 'cpu' | 'memory';
  readonly noHeaders: boolean;
}

/**
 * Runs `rxlet top pods`: prints the use of CPU and memory, as `kubectl top pods -A` does it.
 * @throws AgentConnectionError when there is no such pod
 */
export async function topPods(agent: AgentConnection, terminal: Terminal, options: TopPodsOptions): Promise<void> {
  const { node, pods } = await readSummary(agent, terminal);
  const chosen = pods.filter(
    ({ podRef }) =>
      (options.namespace === undefined || podRef.namespace === options.namespace) &&
      (options.name === undefined ||
        podRef.name === options.name ||
        podRef.name === `${options.name}-${node.nodeName}`),
  );
  if (chosen.length === 0) {
    if (options.name !== undefined)
      throw new AgentConnectionError(`there are no statistics of a pod "${options.name}"`);
    terminal.printError('No resources found');
    return;
  }
  const rows = chosen.flatMap(({ podRef, containers = [], ...usage }) => {
    const head = [podRef.namespace, podRef.name];
    if (!options.containers) return [{ cells: head, usage }];
    return containers.map(({ name, ...own }) => ({ cells: [...head, name], usage: own }));
  });
  const order = options.sortBy;
  const valueOf = (usage: Usage): number => (order === 'cpu' ? cpuOf(usage) : memoryOf(usage));
  const sorted =
    order === undefined
      ? rows.toSorted((left, right) => (left.cells.join(' ') < right.cells.join(' ') ? -1 : 1))
      : rows.toSorted((left, right) => valueOf(right.usage) - valueOf(left.usage));
  const header = ['NAMESPACE', options.containers ? 'POD' : 'NAME', ...(options.containers ? ['NAME'] : [])];
  const lines = formatTable(
    [...header, 'CPU(cores)', 'MEMORY(bytes)'],
    sorted.map(({ cells, usage }) => [...cells, formatCpu(usage), formatMemory(usage)]),
  );
  terminal.print(lines.slice(options.noHeaders ? 1 : 0).join('\n'));
}

/** Runs `rxlet top node`: prints the use of CPU and memory of this node. */
export async function topNode(agent: AgentConnection, terminal: Terminal, noHeaders: boolean): Promise<void> {
  const { node } = await readSummary(agent, terminal);
  const { workingSetBytes = 0, availableBytes } = node.memory ?? {};
  const total = availableBytes === undefined ? 0 : workingSetBytes + availableBytes;
  const percent = total === 0 ? '<unknown>' : `${String(Math.floor((workingSetBytes * 100) / total))}%`;
  const lines = formatTable(
    ['NAME', 'CPU(cores)', 'MEMORY(bytes)', 'MEMORY(%)'],
    [[node.nodeName, formatCpu(node), formatMemory(node), percent]],
  );
  terminal.print(lines.slice(noHeaders ? 1 : 0).join('\n'));
}

async function readSummary(agent: AgentConnection, { signal }: Terminal): Promise<Summary> {
  return (await agent.getJson('/stats/summary', signal)) as Summary;
}

function cpuOf({ cpu }: Usage): number {
  return cpu?.usageNanoCores ?? 0;
}

function memoryOf({ memory }: Usage): number {
  return memory?.workingSetBytes ?? 0;
}

/** As kubectl: whole thousandths of a core, rounded up. */
function formatCpu(usage: Usage): string {
  return `${String(Math.ceil(cpuOf(usage) / 1_000_000))}m`;
}

function formatMemory(usage: Usage): string {
  return `${String(Math.floor(memoryOf(usage) / (1024 * 1024)))}Mi`;
}
