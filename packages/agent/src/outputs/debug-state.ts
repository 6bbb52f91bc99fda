import { type Clock, type Lifetime, toRfc3339 } from '@rxlet/component-base';
import type { ImageManager, ImagePull } from '@rxlet/image-manager';
import type { Pleg } from '@rxlet/pleg';
import type { PodConfig } from '@rxlet/pod-source';
import type { PodWorkers } from '@rxlet/pod-workers';
import type { RuntimeState } from '../node/runtime-state.ts';

/** What is looked into. */
export interface DebugStatePorts {
  readonly clock: Clock;
  readonly config: Pick<PodConfig, 'pods' | 'sourcesReady'>;
  readonly pleg: Pick<Pleg, 'problem' | 'sickPods' | 'queue' | 'pods'>;
  readonly runtimeState: Pick<RuntimeState, 'runtimeProblem' | 'networkProblem'>;
  readonly imageManager: Pick<ImageManager, 'pulls$'>;
  readonly workers: Pick<PodWorkers, 'inspect'>;
  readonly lifetime: Lifetime;
}

/** Makes the function behind `rxlet debug state`. Times of day are RFC 3339, all others ages or delays in milliseconds. */
export function createDebugState(ports: DebugStatePorts): () => unknown {
  const { clock, config, pleg, runtimeState, imageManager, workers, lifetime } = ports;
  let pulls: readonly ImagePull[] = [];
  const pulling = imageManager.pulls$.subscribe((now) => (pulls = now));
  lifetime.defer(() => pulling.unsubscribe());

  return () => {
    const pods = workers.inspect();
    const steps = pods.flatMap(({ stepAgeMs }) => stepAgeMs ?? []);
    const pullAges = (phase: ImagePull['phase']): number[] =>
      pulls.filter((pull) => pull.phase === phase).map(({ sinceMs }) => clock.now() - sinceMs);
    return {
      time: toRfc3339(clock.now()),
      runtime: { problem: runtimeState.runtimeProblem(), networkProblem: runtimeState.networkProblem() },
      sources: { ready: config.sourcesReady(), pods: config.pods().length },
      pleg: {
        problem: pleg.problem(),
        pods: pleg.pods().length,
        sickPods: [...pleg.sickPods()].map(([uid, { message }]) => ({ uid, error: message })),
        ...pleg.queue(),
      },
      queues: {
        podSteps: { running: steps.length, oldestAgeMs: oldest(steps) },
        podsDue: { depth: pods.filter(({ nextStepInMs }) => nextStepInMs !== undefined).length },
        imagePullsQueued: { depth: pullAges('queued').length, oldestAgeMs: oldest(pullAges('queued')) },
        imagePulls: { depth: pullAges('pulling').length, oldestAgeMs: oldest(pullAges('pulling')) },
      },
      imagePulls: pulls,
      pods,
    };
  };
}

function oldest(agesMs: readonly number[]): number {
  return Math.max(0, ...agesMs);
}
