import { ContainerState, type ContainerStatus, PodSandboxState } from '@rxlet/cri-api';
import type { RpcName } from '@rxlet/fake-cri';
import type { Pod } from '@rxlet/kube-api';
import { PodLabel } from '@rxlet/pod-model';
import { createPleg } from '@rxlet/pleg';
import type { AgentParts } from '../parts.ts';
import { type AgentBench, createAgentBench } from './agent-bench.ts';
import { differences } from './model-differences.ts';
import { modelPod, type PodKind } from './model-pods.ts';
import { watchRuntime } from './watch-runtime.ts';

/** What happens to an agent under test. */
export type ModelStep =
  /** A source has this version of a pod, in the place of any other. */
  | { readonly do: 'set'; readonly name: string; readonly kind: PodKind; readonly version: number }
  | { readonly do: 'unset'; readonly name: string }
  /** A container exits by itself: the one at this place among the running ones of a pod. */
  | { readonly do: 'exit'; readonly name: string; readonly index: number; readonly code: number }
  /** The sandbox of a pod dies. */
  | { readonly do: 'fail-sandbox'; readonly name: string }
  /** The runtime forgets a container of a pod. */
  | { readonly do: 'lose'; readonly name: string; readonly index: number }
  /** The next calls of an RPC fail. */
  | { readonly do: 'fault'; readonly rpc: RpcName; readonly failpoint: string; readonly place: 'before' | 'after' }
  | { readonly do: 'event-faults'; readonly probability: number; readonly delayMs: number }
  /** The runtime is away for a while. */
  | { readonly do: 'outage'; readonly ms: number }
  /** The agent is killed between any two things that happen, and started again after a while. */
  | { readonly do: 'kill'; readonly afterMs: number; readonly pauseMs: number }
  | { readonly do: 'advance'; readonly ms: number };

/** After so much time without faults everything is as it should be: the longest wait of a crash loop, and what hangs, are over. */
const QUIESCENCE_MS = 1_200_000;

/** An agent with a model of what it should come to. What is not as it should be is thrown, with what led there. */
export interface AgentModel extends AsyncDisposable {
  readonly bench: AgentBench;
  /** Does a step, and checks all the time what must never be. */
  step(step: ModelStep): Promise<void>;
  /** Ends all faults, waits, and checks what there is against what there should be. */
  settle(): Promise<void>;
  /** Takes all pods away and checks that nothing is left of them. */
  empty(): Promise<void>;
}

/** How the runtime of a model is. */
export interface AgentModelOptions {
  readonly latencyMs: number;
  /** Whether it tells of what happens, or has to be polled. */
  readonly hints: boolean;
}

/** Creates a model and its agent, which runs. */
export async function createAgentModel({ latencyMs, hints }: AgentModelOptions, seed: number): Promise<AgentModel> {
  const bench = createAgentBench({ latencyMs }, seed);
  const { clock, fake, files } = bench;
  const desired = new Map<string, Pod>();
  const watch = watchRuntime(bench, desired);
  const parts: Partial<AgentParts> = hints
    ? {}
    : { createPleg: (ports, options) => createPleg({ ...ports, hints: undefined }, options) };
  await bench.start(parts);
  bench.desire();

  const publish = (): void => {
    watch.desire([...desired.values()]);
    bench.desire(...desired.values());
  };
  const runningOf = (name: string): ContainerStatus[] =>
    fake
      .snapshot()
      .containers.filter(
        ({ labels, state }) => labels[PodLabel.podName] === name && state === ContainerState.CONTAINER_RUNNING,
      );

  const settle = async (): Promise<void> => {
    fake.clearFailpoints();
    fake.setEventFaults({});
    await clock.advance(QUIESCENCE_MS);
    watch.check();
    const problems = [...desired.values()].flatMap((pod) => differences(bench, pod));
    const uids = new Set([...desired.values()].map(uidOf));
    const { sandboxes, containers } = fake.snapshot();
    for (const { labels, id } of [...sandboxes, ...containers])
      if (!uids.has(labels[PodLabel.podUid] ?? '')) problems.push(`${id} of ${labels[PodLabel.podUid] ?? ''} is left`);
    for (const name of await files.list('/root/pods'))
      if (!uids.has(name)) problems.push(`the directory of ${name} is left`);
    for (const name of await files.list('/logs'))
      if (!uids.has(name.split('_').at(-1) ?? '')) problems.push(`logs ${name} are left`);
    const shown = bench.agent().pods.list().map(uidOf).sort().join();
    if (shown !== [...uids].sort().join()) problems.push(`the agent shows ${shown}`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  };

  return {
    bench,
    settle,
    async step(step) {
      switch (step.do) {
        case 'set':
          desired.set(step.name, modelPod(step.name, step.kind, step.version));
          publish();
          break;
        case 'unset':
          desired.delete(step.name);
          publish();
          break;
        case 'exit': {
          const running = runningOf(step.name);
          const victim = running[step.index % running.length];
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
          // Whether a container that is never restarted has ended, or never was, depends on whether anybody saw it. And the fake runtime never ends an exec
          // in a container that it lost, while hooks have no time limit.
          if (restartPolicy === 'Never' || containers?.some(({ lifecycle }) => lifecycle)) break;
          const running = runningOf(step.name);
          const victim = running[step.index % running.length];
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
          await bench.start(parts);
          break;
        case 'advance':
          await clock.advance(step.ms);
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

function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}
