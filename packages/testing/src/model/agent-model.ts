import type { Pod } from '@rxlet/kube-api';
import { ContainerState } from '@rxlet/cri-api';
import { PodLabel, podUid } from '@rxlet/pod-model';
import { createPleg } from '@rxlet/pleg';
import type { AgentParts } from '@rxlet/agent';
import { createTestNode, type TestNode } from '../test-node.ts';
import { leftovers } from './leftovers.ts';
import { differences } from './model-differences.ts';
import { modelPod, type PodKind } from './model-pods.ts';
import { createThrowingParts } from './throwing-parts.ts';
import { runRuntimeStep, type RuntimeStep } from './runtime-step.ts';
import { watchRuntime } from './watch-runtime.ts';

/** A step of a model run. */
export type ModelStep = SourceStep | RuntimeStep | ThrowStep;

/** The next calls of a handler, of a step or of a part of the core throw. */
export interface ThrowStep {
  readonly do: 'throw';
  readonly place: string;
  readonly times: number;
}

/** A change of the pods of the source `file`. */
export type SourceStep =
  /** The source replaces the pod with this version. */
  | { readonly do: 'set'; readonly name: string; readonly kind: PodKind; readonly version: number }
  | { readonly do: 'unset'; readonly name: string };

/** Time without faults after which the agent must have converged: longer than the maximum back-off and than every hanging call. */
export const QUIESCENCE_MS = 1_200_000;

/** An agent with a model of its expected state. A difference throws, with the steps that led to it. */
export interface AgentModel<Step = ModelStep> extends AsyncDisposable {
  readonly bench: TestNode;
  /** Runs a step; checks the invariants all the time. */
  step(step: Step): Promise<void>;
  /** Ends all faults, waits, and compares the actual with the expected state. */
  settle(): Promise<void>;
  /** Removes all pods and checks that they leave nothing. */
  empty(): Promise<void>;
}

/** Options of the runtime of a model. */
export interface AgentModelOptions {
  readonly latencyMs: number;
  /** Whether the runtime emits events, or must be polled. */
  readonly hints: boolean;
}

/** Returns parts of an agent that polls its runtime, if it gets no hints. */
export function plegParts({ hints }: Pick<AgentModelOptions, 'hints'>): Partial<AgentParts> {
  return hints ? {} : { createPleg: (ports, options) => createPleg({ ...ports, hints: undefined }, options) };
}

/** Creates a model and starts its agent. */
export async function createAgentModel({ latencyMs, hints }: AgentModelOptions, seed: number): Promise<AgentModel> {
  const bench = createTestNode({ latencyMs, seed });
  const { clock, fake } = bench;
  const desired = new Map<string, Pod>();
  const watch = watchRuntime(bench, desired);
  /** A pod that does not run is rejected for good by an admission handler that throws. */
  const mayThrowInAdmission = (uid: string): boolean =>
    fake
      .snapshot()
      .containers.some(
        ({ labels, state }) => labels[PodLabel.podUid] === uid && state === ContainerState.CONTAINER_RUNNING,
      );
  const throwing = createThrowingParts(plegParts({ hints }), mayThrowInAdmission);
  const start = (): Promise<unknown> => bench.start({ parts: throwing.parts, modules: [throwing.module] });
  await start();
  bench.desire();

  const publish = (): void => {
    watch.desire([...desired.values()]);
    bench.desire(...desired.values());
  };
  const settle = async (): Promise<void> => {
    throwing.disarm();
    fake.clearFailpoints();
    fake.setEventFaults({});
    await clock.advance(QUIESCENCE_MS);
    watch.check();
    const uids = new Set([...desired.values()].map(podUid));
    const problems = [
      ...[...desired.values()].flatMap((pod) => differences(bench, pod, watch)),
      ...(await leftovers(bench, uids)),
    ];
    const shown = bench.agent().pods.list().map(podUid).sort().join();
    if (shown !== [...uids].sort().join()) problems.push(`the agent shows ${shown}`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  };

  return {
    bench,
    settle,
    async step(step) {
      if (step.do === 'set' || step.do === 'unset') {
        if (step.do === 'set') desired.set(step.name, modelPod(step.name, step.kind, step.version));
        else desired.delete(step.name);
        publish();
      } else if (step.do === 'throw') {
        throwing.arm(step.place, step.times);
      } else {
        await runRuntimeStep(step, { bench, desired, watch, restart: start });
      }
      watch.check();
    },
    async empty() {
      desired.clear();
      publish();
      await settle();
    },
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]();
      if (clock.pendingTimers > 0) throw new Error(`${String(clock.pendingTimers)} timers are left`);
    },
  };
}
