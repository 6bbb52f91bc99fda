import { createLater } from '../world/later.ts';
import { type LifeStep, runStep } from '../world/run-step.ts';
import type { World } from '../world/world.ts';
import type { Step, TimedStep } from '../workload/step.ts';
import { type AgentSupervisor, createAgentSupervisor } from './agent-supervisor.ts';

/** Moves a world through time: steps, their consequences, and the lives of the agents. */
export interface Driver {
  /** Starts the first agent of each node. */
  begin(): Promise<void>;
  /** Moves the clock to a time after the start. */
  advanceTo(atMs: number): Promise<void>;
  /** Moves the clock forward. */
  advance(ms: number): Promise<void>;
  step(step: Omit<TimedStep, 'atMs'>): Promise<void>;
  /** Runs what still follows from steps, until all agents run and no outage is left. */
  finish(): Promise<void>;
}

/** Creates a driver. */
export function createDriver(world: World): Driver {
  const { clock, nodes } = world;
  const later = createLater(clock);
  const startMs = clock.monotonicNow();
  const supervisors = new Map(
    nodes.map((node): [string, AgentSupervisor] => [node.name, createAgentSupervisor(node, later)]),
  );
  const all = [...supervisors.values()];
  const killDue = (): AgentSupervisor | undefined => all.find(({ kill }) => kill === 'due');

  /** Moves the clock, but not beyond the moment at which an agent is killed. */
  const move = async (untilMs: number): Promise<void> => {
    if (!all.some(({ kill }) => kill === 'armed')) {
      await clock.advance(Math.max(0, untilMs - clock.monotonicNow()));
      return;
    }
    using _timer = clock.setTimer(untilMs - clock.monotonicNow(), () => undefined);
    await clock.runUntil(() => killDue() !== undefined || clock.monotonicNow() >= untilMs, Infinity);
  };
  const advanceTo = async (untilMs: number): Promise<void> => {
    for (;;) {
      const nextMs = Math.min(untilMs, later.firstMs);
      if (killDue() === undefined && clock.monotonicNow() < nextMs) await move(nextMs);
      const due = killDue();
      if (due !== undefined) await due.completeKill();
      else if (later.firstMs <= clock.monotonicNow()) await later.runFirst();
      else if (clock.monotonicNow() >= untilMs) return;
    }
  };

  return {
    async begin() {
      for (const supervisor of all) await supervisor.begin();
    },
    advanceTo: (atMs) => advanceTo(startMs + atMs),
    advance: (ms) => advanceTo(clock.monotonicNow() + ms),
    async step({ step, node }) {
      if (!isLifeStep(step)) {
        runStep({ step, node }, world, later);
        return;
      }
      for (const [name, supervisor] of supervisors) if (node === undefined || node === name) await supervisor.run(step);
    },
    async finish() {
      while (later.firstMs < Infinity) await advanceTo(Math.max(later.firstMs, clock.monotonicNow()));
    },
  };
}

const LIFE_STEPS: ReadonlySet<string> = new Set<LifeStep['do']>(['kill', 'stop', 'power-failure', 'shutdown']);

function isLifeStep(step: Step): step is LifeStep {
  return LIFE_STEPS.has(step.do);
}
