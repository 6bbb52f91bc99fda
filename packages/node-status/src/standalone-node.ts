import type { NodeObject } from '@rxlet/agent-api/node';
import { type Clock, createLifetime, errorMessage, type Logger, sleep } from '@rxlet/component-base';
import type { Node } from '@rxlet/kube-api';
import { initialNode } from './initial-node.ts';
import type { NodeInputs } from './node-inputs.ts';
import type { NodeSettings } from './node-status-inputs.ts';
import { setNodeStatus } from './set-node-status.ts';

/** Ports of {@link createStandaloneNode}. */
export interface StandaloneNodePorts {
  readonly inputs: NodeInputs;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Options of {@link createStandaloneNode}. */
export interface StandaloneNodeOptions {
  readonly settings: NodeSettings;
  /** Period at which the status is computed. Default ten seconds. */
  readonly updatePeriodMs?: number | undefined;
}

/** The Node object of an agent without an API server. */
export interface StandaloneNode extends NodeObject, AsyncDisposable {
  /** Computes the status, and then keeps it up to date. Resolves when it was computed once. */
  start(): Promise<void>;
}

/** Creates a {@link StandaloneNode}. */
export function createStandaloneNode(ports: StandaloneNodePorts, options: StandaloneNodeOptions): StandaloneNode {
  const { inputs, clock, logger } = ports;
  const { settings, updatePeriodMs = 10_000 } = options;
  const lifetime = createLifetime();
  const { signal } = lifetime;
  let node = initialNode(settings);
  let lastErrors = '';

  const compute = async (): Promise<Node> => {
    const computed = setNodeStatus(node, await inputs.read(node, signal));
    const problems = computed.errors.join('; ');
    if (problems !== '' && problems !== lastErrors)
      logger.warn('cannot set a part of the node status', { error: problems });
    lastErrors = problems;
    node = computed.node;
    return node;
  };
  const run = async (): Promise<void> => {
    for (;;) {
      await sleep(clock, updatePeriodMs, signal);
      await compute();
    }
  };
  const start = async (): Promise<void> => {
    await compute();
    lifetime.track(run()).catch((error: unknown) => {
      if (!signal.aborted) logger.error('the node status is not computed any more', { error: errorMessage(error) });
    });
  };
  let started: Promise<void> | undefined;

  return {
    start: () => (started ??= lifetime.track(start())),
    cached: () => node,
    read: async () => node,
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
