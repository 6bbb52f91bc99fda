import { errorMessage } from '@rxlet/component-base';
import type { MemoryUsage } from './memory-usage.ts';

/** Memory limit to lower, or to set for the first time. */
export interface MemoryDecrease {
  /** Name and id of the container; absent for the limit of the pod. */
  readonly container?: { readonly name: string; readonly id: string };
  readonly limitBytes: number;
}

/**
 * Checks that the memory in use is below the new limits; otherwise the kernel would kill processes. Best effort, because the use may grow before the limit is
 * set.
 *
 * @throws Error with the kubelet's message for each limit that cannot be set
 */
export async function checkMemoryDecreases(
  decreases: readonly MemoryDecrease[],
  usage: MemoryUsage,
  sandboxId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const problems = await Promise.all(
    decreases.map(async ({ container, limitBytes }) => {
      const subject = container === undefined ? 'pod' : `container ${JSON.stringify(container.name)}`;
      let used: bigint | undefined;
      try {
        used = await (container === undefined ? usage.pod(sandboxId, signal) : usage.container(container.id, signal));
      } catch (error) {
        return [`missing ${subject} memory usage: ${errorMessage(error)}`];
      }
      if (used === undefined) return [`missing ${subject} memory usage`];
      if (used < BigInt(limitBytes)) return [];
      const [limit, current] = [String(limitBytes), String(used)];
      return [`attempting to set ${subject} memory limit (${limit}) below current usage (${current})`];
    }),
  );
  const [first, ...others] = problems.flat();
  if (first === undefined) return;
  const text = others.length === 0 ? first : `[${[first, ...others].join(', ')}]`;
  throw new Error(`cannot decrease memory limits: ${text}`);
}
