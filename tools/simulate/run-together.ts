import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { runShare, type Share, type Totals } from './run-share.ts';

/** Runs a share on threads, one of which is this one when there is no other. Rejects when a thread fails. */
export async function runTogether(share: Share, jobs: number): Promise<Totals> {
  if (jobs === 1) return runShare(share);
  return sumOf(await Promise.all(Array.from({ length: jobs }, () => runOnThread(share))));
}

async function runOnThread(share: Share): Promise<Totals> {
  const worker = new Worker(new URL('./share-thread.ts', import.meta.url), { workerData: share });
  // Rejects with the error of the thread.
  const [totals] = (await once(worker, 'message')) as [Totals];
  await once(worker, 'exit');
  return totals;
}

/** Adds up the totals of threads. */
export function sumOf(all: readonly Totals[]): Totals {
  const reached = new Map<string, number>();
  for (const totals of all)
    for (const [name, count] of totals.reached) reached.set(name, (reached.get(name) ?? 0) + count);
  return { virtualMs: all.reduce((total, { virtualMs }) => total + virtualMs, 0), reached };
}
