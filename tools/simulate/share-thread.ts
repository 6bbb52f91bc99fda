/** A thread of the simulator, see run-together.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { runShare, type Share } from './run-share.ts';

parentPort!.postMessage(await runShare(workerData as Share));
