import { isKubeError, type KubeClient } from '@rxlet/kube-api/client';
import { type Clock, createProblemLog, errorMessage, type Logger, sleep } from '@rxlet/component-base';
import type { Node } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { reconcileNode, type ReconcileNodeOptions } from '../reconcile-node.ts';
import type { NodeStartup } from './node-startup.ts';
import { nodeStatusPatch } from './patch-node.ts';

/** Ports of {@link registerNode}. */
export interface RegisterNodePorts {
  readonly client: Pick<KubeClient, 'create' | 'get' | 'patch'>;
  /** Returns the Node object to create, with its current status. */
  readonly newNode: (signal: AbortSignal) => Promise<Node>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Measures the registration. Default: it is not measured. */
  readonly startup?: Pick<NodeStartup, 'registering' | 'registered'> | undefined;
}

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 7_000;

/** Creates the Node object, or reconciles the one that exists. Retries with back-off until it succeeds or `signal` aborts. */
export async function registerNode(
  ports: RegisterNodePorts,
  signal: AbortSignal,
  options: ReconcileNodeOptions = {},
): Promise<void> {
  const { clock, logger } = ports;
  const problems = createProblemLog(logger);
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    await sleep(clock, delayMs, signal);
    const node = await ports.newNode(signal);
    const name = node.metadata?.name;
    ports.startup?.registering();
    try {
      await createOrReconcile(ports, node, signal, options);
      logger.info('registered the node', { node: name });
      return;
    } catch (error) {
      signal.throwIfAborted();
      problems.failed('cannot register the node; it is tried again', { node: name, error: errorMessage(error) });
    }
  }
}

async function createOrReconcile(
  { client, startup }: RegisterNodePorts,
  node: Node,
  signal: AbortSignal,
  options: ReconcileNodeOptions,
): Promise<void> {
  const ref = { name: node.metadata?.name ?? '' };
  try {
    await client.create(resources.nodes, { apiVersion: 'v1', kind: 'Node', ...node }, { signal });
    startup?.registered();
  } catch (error) {
    // An authorizer may forbid to create a node that exists.
    if (!isKubeError(error, 'AlreadyExists', 'Forbidden')) throw error;
    const existing = await client.get(resources.nodes, ref, { signal });
    const body = nodeStatusPatch(existing, reconcileNode(node, existing, options));
    if (body === undefined) return;
    await client.patch(resources.nodes, ref, { type: 'strategic', body }, { subresource: 'status', signal });
  }
}
