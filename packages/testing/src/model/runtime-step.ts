import type { VirtualClock } from '@rxlet/component-base/testing';
import { ContainerState, type ContainerStatus, PodSandboxState } from '@rxlet/cri-api';
import type { RpcName } from '@rxlet/fake-cri';
import type { Pod } from '@rxlet/kube-api';
import { PodLabel } from '@rxlet/pod-model';
import type { TestNode } from '../test-node.ts';
import type { RuntimeWatch } from './watch-runtime.ts';

/** A step of a model run that concerns the runtime or the life of the agent. */
export type RuntimeStep =
  /** A container exits by itself: the one at this place among the running ones of a pod. */
  | { readonly do: 'exit'; readonly name: string; readonly index: number; readonly code: number }
  /** The sandbox of a pod dies. */
  | { readonly do: 'fail-sandbox'; readonly name: string }
  /** The runtime forgets a container of a pod. */
  | { readonly do: 'lose'; readonly name: string; readonly index: number }
  /** The next calls of an RPC fail. */
  | { readonly do: 'fault'; readonly rpc: RpcName; readonly failpoint: string; readonly place: 'before' | 'after' }
  | { readonly do: 'event-faults'; readonly probability: number; readonly delayMs: number }
  /** The runtime is unreachable for a while. */
  | { readonly do: 'outage'; readonly ms: number }
  /** The agent is killed at a moment, and restarted after a while. */
  | { readonly do: 'kill'; readonly afterMs: number; readonly pauseMs: number }
  /** The agent is killed in place of a call: of the runtime, a file, a mount or the API server. */
  | { readonly do: 'crash'; readonly calls: number; readonly pauseMs: number }
  | { readonly do: 'advance'; readonly ms: number };

/** Dependencies of {@link runRuntimeStep}. */
export interface RuntimeStepContext {
  readonly bench: TestNode;
  /** Pods by name. */
  readonly desired: ReadonlyMap<string, Pod>;
  readonly watch: RuntimeWatch;
  /** Starts another agent. */
  readonly restart: () => Promise<unknown>;
}

/** Time after which an agent is killed that makes too few calls. */
const CRASH_LIMIT_MS = 5_000;
/** No fault lasts for more calls than that. */
const MAX_STARTS = 10;
const START_PAUSE_MS = 1_000;

/** Runs a step. */
export async function runRuntimeStep(step: RuntimeStep, context: RuntimeStepContext): Promise<void> {
  const { bench, desired, watch, restart } = context;
  const { fake, clock } = bench;
  const runningAt = (name: string, index: number): ContainerStatus | undefined => {
    const running = fake
      .snapshot()
      .containers.filter(
        ({ labels, state }) => labels[PodLabel.podName] === name && state === ContainerState.CONTAINER_RUNNING,
      );
    return running[index % running.length];
  };
  switch (step.do) {
    case 'exit': {
      const victim = runningAt(step.name, step.index);
      if (victim !== undefined) fake.exitContainer(victim.id, step.code);
      break;
    }
    case 'fail-sandbox':
      for (const { id, metadata, state } of fake.snapshot().sandboxes)
        if (metadata?.name === step.name && state === PodSandboxState.SANDBOX_READY) {
          watch.sandboxFailed(metadata.uid);
          fake.failSandbox(id);
        }
      break;
    case 'lose': {
      const { restartPolicy, containers } = desired.get(step.name)?.spec ?? {};
      // A container that is never restarted may have ended or may never have existed, depending on what the agent observed. And the fake runtime never ends
      // an exec in a lost container, while hooks have no time limit.
      if (restartPolicy === 'Never' || containers?.some(({ lifecycle }) => lifecycle)) break;
      const victim = runningAt(step.name, step.index);
      if (victim === undefined) break;
      watch.lost(victim);
      fake.loseContainer(victim.id);
      break;
    }
    case 'fault':
      fake.setFailpoint(step.rpc, step.failpoint, step.place);
      break;
    case 'event-faults': {
      const { probability, delayMs } = step;
      fake.setEventFaults({
        drop: probability,
        duplicate: probability,
        reorder: probability,
        replay: probability,
        delayMs,
      });
      break;
    }
    case 'outage':
      fake.stop();
      await clock.advance(step.ms);
      fake.start();
      break;
    case 'kill':
      await clock.advance(step.afterMs);
      await bench.kill();
      watch.check();
      await clock.advance(step.pauseMs);
      await supervise(restart, clock);
      break;
    case 'crash':
      await bench.killAtCall(step.calls, CRASH_LIMIT_MS);
      watch.check();
      await clock.advance(step.pauseMs);
      await supervise(restart, clock);
      break;
    case 'advance':
      await clock.advance(step.ms);
  }
}

/** Starts an agent as a supervisor does: again and again while a fault of the runtime fails its start. */
async function supervise(start: () => Promise<unknown>, clock: VirtualClock): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      await start();
      return;
    } catch (error) {
      if (attempts === MAX_STARTS) throw error;
      await clock.advance(START_PAUSE_MS);
    }
  }
}
