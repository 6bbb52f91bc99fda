import type { MemoryFacts } from '../history/history.ts';
import { isLost } from './assignments.ts';
import type { Property } from './property.ts';

const MEMORY_STATE = '/root/memory_manager_state';

/**
 * The memory of NUMA nodes is never handed out beyond what they have, and a container keeps its NUMA nodes while it runs. As in the kubelet, no other record has
 * them when this one is lost.
 */
export const memoryKept: Property = {
  name: 'memory-kept',
  *check(history) {
    let before: Readonly<Record<string, MemoryFacts>> = {};
    for (const event of history) {
      if (isLost(event, MEMORY_STATE)) before = {};
      if (event.kind !== 'memory') continue;
      const { atMs, assigned, available, running } = event;
      for (const key of running) {
        const [had, has] = [before[key]?.numaNodes, assigned[key]?.numaNodes];
        if (had !== undefined && had.join() !== has?.join())
          yield { atMs, text: `${key} runs on the NUMA nodes ${had.join()}, which become ${has?.join() ?? 'free'}` };
      }
      const shares = Object.values(assigned);
      for (const nodes of setsOf(available.length)) {
        const used = shares
          .filter(({ numaNodes }) => numaNodes.every((node) => nodes.includes(node)))
          .reduce((sum, { bytes }) => sum + bytes, 0);
        const has = nodes.reduce((sum, node) => sum + (available[node] ?? 0), 0);
        if (used > has)
          yield {
            atMs,
            text: `containers have ${String(used)} bytes of the NUMA nodes ${nodes.join()}, more than ${String(has)}`,
          };
      }
      before = assigned;
    }
  },
};

/** Returns all sets of so many nodes but the empty one. */
function setsOf(count: number): readonly (readonly number[])[] {
  const nodes = Array.from({ length: count }, (_, node) => node);
  return Array.from({ length: 2 ** count - 1 }, (_, index) => nodes.filter((node) => ((index + 1) >> node) & 1));
}
