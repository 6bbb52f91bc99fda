import type { NodeApiIdentity } from '../cluster/fleet-cluster.ts';
import type { NodesTask } from '../fleet/run-nodes.ts';

/** Data of a thread. */
export interface WorkerTask extends NodesTask {
  /** Path of the administrator's kubeconfig: each thread has connections of its own. */
  readonly kubeconfig: string;
  readonly identity: NodeApiIdentity;
  readonly verbosity: number;
}

/** Message of a thread. */
export type WorkerMessage =
  | { readonly kind: 'ready'; readonly nodes: number }
  | { readonly kind: 'log'; readonly text: string }
  /** An expected failure, such as a port in use. Any other one is an error of the thread. */
  | { readonly kind: 'failed'; readonly message: string };
