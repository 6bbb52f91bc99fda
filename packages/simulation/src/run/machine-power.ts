import { powerOff, setBootId } from '../faults/power-off.ts';
import type { PowerStep } from '../workload/part-steps.ts';
import type { Later } from '../world/later.ts';
import { expectLostInits } from '../world/run-runtime-step.ts';
import type { SimulatedNode } from '../world/simulated-node.ts';

/** Time between two looks at the locks that delay a shutdown. */
const POLL_MS = 500;

/** Ports of {@link createMachinePower}. */
export interface MachinePowerPorts {
  /** Ends the agent, if one lives. */
  kill(): Promise<void>;
  /** Stops the agent in order, if one lives. */
  stop(): Promise<void>;
  /** Starts an agent after a while. */
  startLater(delayMs: number): void;
}

/** Turns the machine of a node off, with and without a warning. */
export interface MachinePower {
  run(step: PowerStep): Promise<void>;
  /** Deletes a file while the machine is off, as an operator does who ends all pods. */
  deleteFile(path: string): Promise<void>;
}

/** Creates {@link MachinePower}. */
export function createMachinePower(subject: SimulatedNode, later: Later, ports: MachinePowerPorts): MachinePower {
  const { node, history, logind, pageCache, parts, runtime } = subject;
  const { clock } = node;
  let boot = 0;
  setBootId(node.files, boot);
  let isShuttingDown = false;

  const turnOff = async (
    pauseMs: number,
    endAgent: () => Promise<void>,
    whileOff: () => void = () => undefined,
  ): Promise<void> => {
    isShuttingDown = false;
    await endAgent();
    logind.disconnect();
    logind.cancel();
    expectLostInits(subject);
    boot += 1;
    pageCache.lose();
    await powerOff(node, boot);
    runtime.look();
    history.add({ kind: 'power', change: 'off' });
    for (const part of parts) part.powerOff?.();
    whileOff();
    ports.startLater(pauseMs);
  };
  return {
    async run(step) {
      if (isShuttingDown) return;
      if (step.do === 'power-failure') return turnOff(step.pauseMs, ports.kill);
      isShuttingDown = true;
      history.add({ kind: 'power', change: 'shutdown' });
      logind.shutDown();
      const { heldMs = 0 } = step;
      const beganMs = clock.monotonicNow();
      const look = async (): Promise<void> => {
        if (!isShuttingDown) return;
        const spentMs = clock.monotonicNow() - beganMs;
        if (step.cancelledMs !== undefined && spentMs >= step.cancelledMs) {
          isShuttingDown = false;
          logind.cancel();
          history.add({ kind: 'power', change: 'cancelled' });
        } else if ((logind.isInhibited() || spentMs < heldMs) && spentMs < logind.delayMs) {
          later.add(POLL_MS, look);
        } else {
          // Once nothing delays the shutdown any more, the services of the machine are stopped.
          await turnOff(step.pauseMs, ports.stop);
        }
      };
      later.add(POLL_MS, look);
    },
    deleteFile: (path) =>
      turnOff(0, ports.kill, () => {
        node.files.remove(path);
        history.add({ kind: 'deleted', path });
      }),
  };
}
