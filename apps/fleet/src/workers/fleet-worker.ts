/** Thread of a fleet: runs the nodes of its {@link WorkerTask} until it receives a message. */
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '@rxlet/component-base';
import { createConsoleLogger } from '@rxlet/component-base/command';
import { connectRealCluster } from '../cluster/real-cluster.ts';
import { runNodes } from '../fleet/run-nodes.ts';
import { isExpectedFailure } from '../expected-failure.ts';
import type { WorkerMessage, WorkerTask } from './worker-messages.ts';

// The bundle is CommonJS, which has no top-level await.
void runWorker();

async function runWorker(): Promise<void> {
  const { kubeconfig, identity, verbosity, ...task } = workerData as WorkerTask;
  const send = (message: WorkerMessage): void => parentPort?.postMessage(message);
  const stop = new AbortController();
  parentPort?.once('message', () => stop.abort());
  const logger = createConsoleLogger((text) => send({ kind: 'log', text }), verbosity);
  try {
    await using cluster = await connectRealCluster(kubeconfig, task.plan.address, logger, identity);
    await runNodes(task, cluster, {
      ...{ logger, signal: stop.signal },
      onReady: (nodes) => send({ kind: 'ready', nodes }),
    });
  } catch (error) {
    if (!isExpectedFailure(error)) throw error;
    send({ kind: 'failed', message: errorMessage(error) });
  } finally {
    parentPort?.close();
  }
}
