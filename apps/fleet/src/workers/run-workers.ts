import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { onAbort } from '@rxlet/component-base';
import type { WorkerMessage, WorkerTask } from './worker-messages.ts';

/** Nodes of a thread failed for a reason that is not a defect of the program. */
export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure';
}

/** Ports of {@link runWorkers}. */
export interface WorkersIo {
  readonly stderr: (text: string) => void;
  /** Ends all threads. */
  readonly signal: AbortSignal;
  /** Called when the nodes of all threads are ready. */
  readonly onReady: (nodes: number) => void;
}

/** Runs each task in a thread, until the signal aborts or a thread fails, which ends the others. Rejects with the first failure after the end of all threads. */
export async function runWorkers(tasks: readonly WorkerTask[], { stderr, signal, onReady }: WorkersIo): Promise<void> {
  // The sources have another extension than the files built from them.
  const url = new URL(`./fleet-worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
  const failure = new AbortController();
  const ready: number[] = [];
  const end = AbortSignal.any([signal, failure.signal]);
  const runWorker = (workerData: WorkerTask): Promise<void> => {
    const worker = new Worker(url, { workerData, argv: [] });
    const stopping = onAbort(end, () => worker.postMessage('stop'));
    worker.on('message', (message: WorkerMessage) => {
      if (message.kind === 'log') stderr(message.text);
      else if (message.kind === 'failed') failure.abort(new WorkerFailure(message.message));
      else if (ready.push(message.nodes) === tasks.length) onReady(ready.reduce((sum, nodes) => sum + nodes, 0));
    });
    worker.on('error', (error) => failure.abort(error));
    return new Promise((resolve) => {
      worker.on('exit', () => {
        stopping[Symbol.dispose]();
        // A thread ends by itself only after a failure.
        if (!end.aborted) failure.abort(new WorkerFailure('a thread of nodes ended'));
        resolve();
      });
    });
  };
  await Promise.all(tasks.map(runWorker));
  if (failure.signal.aborted) throw failure.signal.reason;
}
