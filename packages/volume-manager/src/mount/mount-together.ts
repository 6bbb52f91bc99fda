import type { MemoryMount } from './mount-list.ts';

/** Runs one program for several requests. Resolves with one outcome for each request, in order: `undefined`, or the failure. */
export type MountList = (requests: readonly MemoryMount[]) => Promise<readonly (Error | undefined)[]>;

/** Bound for the requests of one program. */
const MAX_TOGETHER = 100;

interface Waiting {
  readonly request: MemoryMount;
  readonly signal: AbortSignal;
  settle(failure: Error | undefined): void;
}

/**
 * Collects mounts that are requested while others run, and mounts them together: the start of a program costs more than its mount. A single request does not
 * wait. A request whose signal is aborted before its program starts is dropped and never settles.
 */
export function createMountTogether(mountAll: MountList): (request: MemoryMount, signal: AbortSignal) => Promise<void> {
  const waiting: Waiting[] = [];
  let isRunning = false;

  const run = async (): Promise<void> => {
    isRunning = true;
    // Requests of the same moment come together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_TOGETHER).filter(({ signal }) => !signal.aborted);
      if (batch.length === 0) continue;
      const failures = await mountAll(batch.map(({ request }) => request)).catch((error: unknown) => {
        const failure = error instanceof Error ? error : new Error(String(error));
        return batch.map(() => failure);
      });
      for (const [index, { settle }] of batch.entries()) settle(failures[index]);
    }
    isRunning = false;
  };

  return (request, signal) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, signal, settle: (failure) => (failure === undefined ? resolve() : reject(failure)) });
      if (!isRunning) void run();
    });
}
