import { isLost } from './assignments.ts';
import type { Property } from './property.ts';

const CPU_STATE = '/root/cpu_manager_state';

/**
 * A CPU that a container has for itself belongs to no other pod, and a container keeps its CPUs while it runs. As in the kubelet, no other record has them when
 * this one is lost.
 */
export const cpusKept: Property = {
  name: 'cpus-kept',
  *check(history) {
    let before: Readonly<Record<string, readonly number[]>> = {};
    for (const event of history) {
      if (isLost(event, CPU_STATE)) before = {};
      if (event.kind !== 'cpus') continue;
      const { atMs, assigned, running } = event;
      for (const key of running) {
        const [had, has] = [before[key], assigned[key]];
        if (had !== undefined && had.join() !== has?.join())
          yield { atMs, text: `${key} runs on the CPUs ${had.join()}, which become ${has?.join() ?? 'shared'}` };
      }
      const holders = new Map<number, string>();
      for (const [key, cpus] of Object.entries(assigned))
        for (const cpu of cpus) {
          const holder = holders.get(cpu);
          if (holder !== undefined && podOf(holder) !== podOf(key))
            yield { atMs, text: `CPU ${String(cpu)} belongs to ${holder} and to ${key}` };
          holders.set(cpu, key);
        }
      before = assigned;
    }
  },
};

const podOf = (key: string): string => key.slice(0, key.indexOf('/'));
