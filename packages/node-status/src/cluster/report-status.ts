import type { KubeClient } from '@rxlet/kube-api/client';
import { type Clock, errorMessage, type Logger, type Random } from '@rxlet/component-base';
import type { Node } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import type { NodeInputs } from '../node-inputs.ts';
import { type NodeEvent, nodeStatusEvent } from '../set-node-status.ts';
import { isReportDue, updateNode } from '../update-node.ts';
import { nodeStatusPatch } from './patch-node.ts';

/** Ports of {@link createStatusReporter}. */
export interface StatusReporterPorts {
  readonly client: Pick<KubeClient, 'get' | 'patch'>;
  readonly inputs: NodeInputs;
  /** Returns the Node object of a watch, if there is one. */
  readonly watched: () => Node | undefined;
  /** Passes the ranges of pod addresses to the runtime. */
  readonly setPodCidr: (podCidr: string, signal: AbortSignal) => Promise<void>;
  readonly record: (event: NodeEvent) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Options of {@link createStatusReporter}. */
export interface StatusReporterOptions {
  readonly nodeName: string;
  /** Longest time between two reports (KubeletConfiguration `nodeStatusReportFrequency`). Default five minutes. */
  readonly reportPeriodMs?: number | undefined;
}

/** Reports the status of the node to the API server. */
export interface StatusReporter {
  /** Computes the status, and sends it when it has changed or a report is due. Rejects when several attempts fail. */
  report(signal: AbortSignal): Promise<Node>;
}

const MAX_ATTEMPTS = 5;

/** Creates a {@link StatusReporter}. */
export function createStatusReporter(ports: StatusReporterPorts, options: StatusReporterOptions): StatusReporter {
  const { client, inputs, clock, random, logger } = ports;
  const { nodeName, reportPeriodMs: periodMs = 300_000 } = options;
  const ref = { name: nodeName };
  let knownPodCidr = '';
  let schedule: { lastReportMs: number | undefined; delayMs: number } = { lastReportMs: undefined, delayMs: 0 };
  let wasUnschedulable = false;
  let lastErrors = '';

  const announce = (node: Node, events: readonly NodeEvent[], errors: readonly string[]): void => {
    events.forEach(ports.record);
    const isUnschedulable = node.spec?.unschedulable === true;
    if (isUnschedulable !== wasUnschedulable)
      ports.record(nodeStatusEvent(nodeName, isUnschedulable ? 'NodeNotSchedulable' : 'NodeSchedulable'));
    wasUnschedulable = isUnschedulable;
    const problems = errors.join('; ');
    if (problems !== '' && problems !== lastErrors)
      logger.error('cannot set a part of the node status', { error: problems });
    lastErrors = problems;
  };
  const passPodCidr = async (podCidr: string, signal: AbortSignal): Promise<void> => {
    if (podCidr === '' || podCidr === knownPodCidr) return;
    try {
      await ports.setPodCidr(podCidr, signal);
      knownPodCidr = podCidr;
    } catch (error) {
      signal.throwIfAborted();
      logger.error('cannot pass the range of pod addresses to the runtime', { podCidr, error: errorMessage(error) });
    }
  };
  const attempt = async (isFirst: boolean, signal: AbortSignal): Promise<Node> => {
    const before = (isFirst ? ports.watched() : undefined) ?? (await client.get(resources.nodes, ref, { signal }));
    const given = await inputs.read(before, signal);
    const { node, changed, events, errors, podCidr } = updateNode(before, given, { knownPodCidr });
    await passPodCidr(podCidr, signal);
    announce(node, events, errors);
    const nowMs = clock.monotonicNow();
    if (!changed && !isReportDue({ ...schedule, periodMs }, nowMs)) return node;
    const body = nodeStatusPatch(before, node) ?? {};
    const patched = await client.patch(
      resources.nodes,
      ref,
      { type: 'strategic', body },
      { subresource: 'status', signal },
    );
    // The watch may be behind. A difference to an object that is gone leaves its successor without the rest of the status.
    if (patched.metadata?.uid !== before.metadata?.uid) throw new Error('the Node object has been replaced');
    const isSpread = changed || schedule.lastReportMs === undefined;
    schedule = { lastReportMs: nowMs, delayMs: isSpread ? (random.next() - 0.5) * periodMs : 0 };
    return patched;
  };

  return {
    async report(signal) {
      for (let count = 0; ; count += 1) {
        try {
          return await attempt(count === 0, signal);
        } catch (error) {
          signal.throwIfAborted();
          if (count + 1 < MAX_ATTEMPTS) continue;
          throw new Error(`update node status exceeds retry count: ${errorMessage(error)}`, { cause: error });
        }
      }
    },
  };
}
