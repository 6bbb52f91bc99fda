import { errorMessage } from '@rxlet/component-base';
import type { MemoryUsage } from './memory-usage.ts';

/** A memory limit that is about to be lowered, or set where there was none. */
export interface MemoryDecrease {
  /** Name and id of the container; absent: the limit is that of the pod. */
  readonly container?: { readonly name: string; readonly id: string };
  readonly limitBytes: number;
}

/**
 * Makes sure that what is in use fits below lower limits: otherwise the kernel would kill for a limit that the container was never asked to obey. A best
 * effort, for the use may grow in between.
 *
 * @throws Error that says for each limit why it cannot be set, in the kubelet's words
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
