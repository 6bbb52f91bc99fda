import { createSemaphore, errorMessage, sleep } from '@rxlet/component-base';
import type { FleetNode } from '../node/fleet-node.ts';
import type { NodeFault } from '../plan/node-faults.ts';
import { beginFault, type EndFault, type FaultPorts } from './begin-fault.ts';

/**
 * Gives a node the faults of its plan, one at a time: a fault that is due during another one begins after its end. Resolves when none is left, and when `signal`
 * aborts, which leaves a fault as it is, except for a drain.
 */
export async function runFaults(
  ports: FaultPorts,
  node: FleetNode,
  faults: readonly NodeFault[],
  signal: AbortSignal,
): Promise<void> {
  const { clock, logger } = ports;
  const turn = createSemaphore(1);
  const problem = (type: string, error: unknown): void => {
    if (!signal.aborted) logger.warn('a fault of a node failed', { node: node.name, type, error: errorMessage(error) });
  };
  const suffer = async ({ type, durationMs }: NodeFault): Promise<void> => {
    logger.info('a fault of a node begins', { node: node.name, type });
    let end: EndFault | undefined;
    try {
      end = await beginFault(ports, node, type);
      await sleep(clock, durationMs, signal);
    } catch (error) {
      problem(type, error);
    }
    // The nodes end as well: an agent is not started for that.
    if (signal.aborted && type !== 'Drain') return;
    try {
      await end?.();
      logger.info('a fault of a node has ended', { node: node.name, type });
    } catch (error) {
      problem(type, error);
    }
  };
  const repeat = async (fault: NodeFault): Promise<void> => {
    const { afterMs, periodMs } = fault;
    let dueMs = clock.monotonicNow() + afterMs;
    for (;;) {
      await sleep(clock, Math.max(0, dueMs - clock.monotonicNow()), signal);
      await turn.run(() => suffer(fault), signal);
      if (periodMs === undefined) return;
      dueMs = Math.max(dueMs + periodMs, clock.monotonicNow());
    }
  };
  await Promise.allSettled(faults.map(repeat));
}
