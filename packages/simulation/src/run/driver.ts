import { isMirrorPod, isTerminalPhase, podUid } from '@rxlet/pod-model';
import { createLater } from '../world/later.ts';
import { type LifeStep, runStep } from '../world/run-step.ts';
import type { World } from '../world/world.ts';
import { describeStep, type Step } from '../workload/step.ts';
import { createMachinePower } from './machine-power.ts';

/** Moves a world through time: steps, their consequences, and the lives of the agent. */
export interface Driver {
  /** Starts the first agent. */
  begin(): Promise<void>;
  /** Moves the clock to a time after the start. */
  advanceTo(atMs: number): Promise<void>;
  /** Moves the clock forward. */
  advance(ms: number): Promise<void>;
  step(step: Step): Promise<void>;
  /** Runs what still follows from steps, until an agent runs and no outage is left. */
  finish(): Promise<void>;
}

/** A start fails only as long as a fault lasts. A supervisor waits for so long in between. */
const START_PAUSE_MS = 1_000;
const MAX_STARTS = 400;
/** An agent that makes too few calls is killed then. */
const KILL_LIMIT_MS = 5_000;
/** Calls of one RPC are rare. */
const RPC_LIMIT_MS = 120_000;

/** Creates a driver. */
export function createDriver(world: World): Driver {
  const { node, history } = world;
  const { clock } = node;
  const later = createLater(clock);
  const startMs = clock.monotonicNow();
  /** The kill that is armed, and its signal. */
  let armed: { readonly signal: AbortSignal; readonly step: Extract<LifeStep, { do: 'kill' }> } | undefined;
  let isAlive = false;
  /** Increases with each loss of power. */
  let boot = 0;

  const start = async (callsOfStart: number, attempts = 1): Promise<void> => {
    try {
      await world.start(callsOfStart === 0 ? undefined : callsOfStart);
      isAlive = true;
      if (callsOfStart === 0) return;
      // The start made fewer calls.
      await kill();
    } catch (error) {
      history.add({ kind: 'agent', change: 'start failed' });
      if (attempts === MAX_STARTS) throw error;
    }
    startLater(START_PAUSE_MS, 0, attempts + 1);
  };
  /** Starts an agent after a while, unless the machine goes off before. */
  const startLater = (delayMs: number, callsOfStart: number, attempts = 1): void => {
    const mine = boot;
    later.add(delayMs, () => (mine === boot ? start(callsOfStart, attempts) : undefined));
  };
  const recordEnd = (change: 'stopped' | 'killed'): void => {
    history.add({ kind: 'agent', change });
    for (const pod of world.apiPods())
      if (!isMirrorPod(pod) && !isTerminalPhase(pod.status?.phase))
        history.add({ kind: 'unreported', uid: podUid(pod) });
  };
  const kill = async (): Promise<void> => {
    armed = undefined;
    world.runtime.onAnswer = undefined;
    isAlive = false;
    await node.kill();
    world.runtime.look();
    recordEnd('killed');
  };
  const stop = async (): Promise<void> => {
    isAlive = false;
    await node.stop();
    world.runtime.look();
    recordEnd('stopped');
  };
  const killAndRestart = async ({
    pauseMs,
    callsOfStart,
    damage,
  }: Extract<LifeStep, { do: 'kill' }>): Promise<void> => {
    await kill();
    if (damage !== undefined) {
      const path = world.host.damage(damage);
      if (path !== undefined) history.add({ kind: 'damaged', path, how: damage.how });
    }
    startLater(pauseMs, callsOfStart);
  };
  const armKill = ({ calls, isAfterCall = false, rpc }: Extract<LifeStep, { do: 'kill' }>): AbortSignal => {
    if (rpc === undefined) return node.armKill(calls, isAfterCall ? 'after' : 'before');
    let left = calls;
    world.runtime.onAnswer = (answered) => {
      if (answered !== rpc) return;
      left -= 1;
      // This call is the last one.
      if (left === 0) node.armKill(0, 'after');
    };
    return node.armKill(Infinity, 'after');
  };
  const power = createMachinePower(world, later, {
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
  const runLifeStep = async (step: LifeStep): Promise<void> => {
    if (step.do === 'power-failure' || step.do === 'shutdown') {
      history.add({ kind: 'step', text: describeStep(step) });
      await power.run(step);
      return;
    }
    if (!isAlive || armed !== undefined) return;
    history.add({ kind: 'step', text: describeStep(step) });
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
  };
  /** Moves the clock, but not beyond the moment at which the agent is killed. */
  const move = async (untilMs: number): Promise<void> => {
    if (armed === undefined) {
      await clock.advance(Math.max(0, untilMs - clock.monotonicNow()));
      return;
    }
    using _timer = clock.setTimer(untilMs - clock.monotonicNow(), () => undefined);
    await clock.runUntil(() => armed?.signal.aborted !== false || clock.monotonicNow() >= untilMs, Infinity);
  };
  const advanceTo = async (untilMs: number): Promise<void> => {
    for (;;) {
      const nextMs = Math.min(untilMs, later.firstMs);
      if (clock.monotonicNow() < nextMs) await move(nextMs);
      if (armed?.signal.aborted === true) await killAndRestart(armed.step);
      else if (later.firstMs <= clock.monotonicNow()) await later.runFirst();
      else if (clock.monotonicNow() >= untilMs) return;
    }
  };

  return {
    begin: () => start(0),
    advanceTo: (atMs) => advanceTo(startMs + atMs),
    advance: (ms) => advanceTo(clock.monotonicNow() + ms),
    async step(step) {
      if (isLifeStep(step)) await runLifeStep(step);
      else runStep(step, world, later);
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
