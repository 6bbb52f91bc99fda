import type { Property } from './property.ts';

/** The resources that are allocated to pods with running containers never exceed those of the node. */
export const allocationsFit: Property = {
  name: 'allocations-fit',
  *check(history) {
    /** Pods by running container. */
    const running = new Map<string, string>();
    for (const event of history) {
      if (event.kind === 'container') {
        if (event.change === 'started') running.set(event.container.id, event.container.uid);
        if (event.change === 'exited' || event.change === 'removed') running.delete(event.container.id);
      }
      if (event.kind !== 'allocated') continue;
      const uids = new Set(running.values());
      for (const name of ['cpuMillis', 'memoryBytes'] as const) {
        const sum = Object.entries(event.pods).reduce(
          (total, [uid, amounts]) => total + (uids.has(uid) ? amounts[name] : 0),
          0,
        );
        if (sum > event.capacity[name])
          yield {
            atMs: event.atMs,
            text: `${name} of running pods are ${String(sum)}, more than ${String(event.capacity[name])}`,
          };
      }
    }
  },
};
