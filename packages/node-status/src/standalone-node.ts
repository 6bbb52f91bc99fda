import type { NodeObject } from '@rxlet/agent-api/node';
import { type Clock, createLifetime, errorMessage, type Logger } from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import type { Node } from '@rxlet/kube-api';
import { NEVER, type Observable } from 'rxjs';
import { initialNode } from './initial-node.ts';
import type { NodeInputs } from './node-inputs.ts';
import type { NodeSettings } from './node-status-inputs.ts';
import { createReportPace } from './report-pace.ts';
import { setNodeStatus } from './set-node-status.ts';

/** Ports of {@link createStandaloneNode}. */
export interface StandaloneNodePorts {
  readonly inputs: NodeInputs;
  /** Emits when the status must be computed at once. Default: never. */
  readonly changes$?: Observable<unknown> | undefined;
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
  const pace = createReportPace(clock);
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
      await pace.wait(updatePeriodMs, signal);
      pace.begin();
      await compute();
    }
  };
  const start = async (): Promise<void> => {
    await compute();
    const changes = follow(ports.changes$ ?? NEVER, {
      task: 'computing the node status at once',
      logger,
      next: () => pace.request(),
    });
    lifetime.defer(() => changes.unsubscribe());
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
