import { errorMessage } from '@rxlet/component-base';
import { isMirrorPod, isTerminalPhase, podUid } from '@rxlet/pod-model';
import type { Later } from '../world/later.ts';
import type { LifeStep } from '../world/run-step.ts';
import type { SimulatedNode } from '../world/simulated-node.ts';
import { stepFacts } from '../workload/step.ts';
import { createMachinePower } from './machine-power.ts';

/** Starts, stops and kills the agents of a node, one after the other. */
export interface AgentSupervisor {
  /** Starts the first agent. */
  begin(): Promise<void>;
  run(step: LifeStep): Promise<void>;
  /** `armed` when a call will kill the agent, `due` once it has made that call. */
  readonly kill: 'none' | 'armed' | 'due';
  /** Completes the kill that is due. */
  completeKill(): Promise<void>;
}

/** A start fails only as long as a fault lasts. A supervisor waits for so long in between. */
const START_PAUSE_MS = 1_000;
const MAX_STARTS = 400;
/** Time until an operator reads why an agent does not start. */
const OPERATOR_MS = 5_000;
/** The agent's words about a checkpoint that it cannot start with. */
const FILE_TO_DELETE =
  /please drain this node and delete (?:the .* checkpoint file )?"?([^"]+?)"? before restarting the agent/;
/** An agent that makes too few calls is killed then. */
const KILL_LIMIT_MS = 5_000;
/** Calls of one RPC are rare. */
const RPC_LIMIT_MS = 120_000;

type KillStep = Extract<LifeStep, { do: 'kill' }>;

/** Creates the supervisor of a node. */
export function createAgentSupervisor(subject: SimulatedNode, later: Later): AgentSupervisor {
  const { node, history } = subject;
  /** The kill that is armed, and its signal. */
  let armed: { readonly signal: AbortSignal; readonly step: KillStep } | undefined;
  let isAlive = false;
  /** Whether an operator is about to delete a file. */
  let isDeleting = false;
  /** Increases with each loss of power. */
  let boot = 0;

  const start = async (callsOfStart: number, attempts = 1): Promise<void> => {
    try {
      await subject.start(callsOfStart === 0 ? undefined : callsOfStart);
      isAlive = true;
      if (callsOfStart === 0) return;
      // The start made fewer calls.
      await kill();
    } catch (error) {
      history.add({ kind: 'agent', change: 'start failed' });
      if (attempts === MAX_STARTS) throw error;
      const path = FILE_TO_DELETE.exec(errorMessage(error))?.[1];
      if (path !== undefined) deleteLater(path);
    }
    startLater(START_PAUSE_MS, 0, attempts + 1);
  };
  /** Starts an agent after a while, unless the machine goes off before. */
  const startLater = (delayMs: number, callsOfStart: number, attempts = 1): void => {
    const mine = boot;
    later.add(delayMs, () => (mine === boot ? start(callsOfStart, attempts) : undefined));
  };
  /** Lets an operator delete a file that the agent does not start with. */
  const deleteLater = (path: string): void => {
    if (isDeleting) return;
    isDeleting = true;
    later.add(OPERATOR_MS, async () => {
      isDeleting = false;
      await power.deleteFile(path);
    });
  };
  const recordEnd = (change: 'stopped' | 'killed'): void => {
    history.add({ kind: 'agent', change });
    for (const pod of subject.apiPods())
      if (!isMirrorPod(pod) && !isTerminalPhase(pod.status?.phase))
        history.add({ kind: 'unreported', uid: podUid(pod) });
  };
  const kill = async (): Promise<void> => {
    armed = undefined;
    subject.runtime.onAnswer = undefined;
    isAlive = false;
    await node.kill();
    subject.runtime.look();
    recordEnd('killed');
  };
  const stop = async (): Promise<void> => {
    isAlive = false;
    await node.stop();
    subject.runtime.look();
    recordEnd('stopped');
  };
  const killAndRestart = async ({ pauseMs, callsOfStart, damage }: KillStep): Promise<void> => {
    await kill();
    if (damage !== undefined) {
      const path = subject.host.damage(damage);
      if (path !== undefined) history.add({ kind: 'damaged', path, how: damage.how });
    }
    startLater(pauseMs, callsOfStart);
  };
  const armKill = ({ calls, isAfterCall = false, rpc }: KillStep): AbortSignal => {
    if (rpc === undefined) return node.armKill(calls, isAfterCall ? 'after' : 'before');
    let left = calls;
    subject.runtime.onAnswer = (answered) => {
      if (answered !== rpc) return;
      left -= 1;
      // This call is the last one.
      if (left === 0) node.armKill(0, 'after');
    };
    return node.armKill(Infinity, 'after');
  };
  const power = createMachinePower(subject, later, {
    async kill() {
      boot += 1;
      await kill();
    },
    async stop() {
      boot += 1;
      if (isAlive && armed === undefined) await stop();
      else await kill();
    },
    startLater: (delayMs) => startLater(delayMs, 0),
  });

  return {
    begin: () => start(0),
    async run(step) {
      if (step.do === 'power-failure' || step.do === 'shutdown') {
        history.add({ kind: 'step', ...stepFacts(step) });
        await power.run(step);
        return;
      }
      if (!isAlive || armed !== undefined) return;
      history.add({ kind: 'step', ...stepFacts(step) });
      if (step.do === 'stop') {
        await stop();
        startLater(step.pauseMs, 0);
      } else if (step.calls === 0) {
        await killAndRestart(step);
      } else {
        const mine = { signal: armKill(step), step };
        armed = mine;
        later.add(step.rpc === undefined ? KILL_LIMIT_MS : RPC_LIMIT_MS, () =>
          armed === mine ? killAndRestart(step) : undefined,
        );
      }
    },
    get kill() {
      if (armed === undefined) return 'none';
      return armed.signal.aborted ? 'due' : 'armed';
    },
    async completeKill() {
      if (armed !== undefined) await killAndRestart(armed.step);
    },
  };
}
