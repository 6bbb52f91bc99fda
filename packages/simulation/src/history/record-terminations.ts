import type { AgentParts } from '@rxlet/agent';
import { createPodWorkers } from '@rxlet/pod-workers';
import type { AgentLife } from '@rxlet/testing';
import { override } from '../world/override.ts';
import type { HistoryFact, HistoryRecorder } from './history.ts';

type Termination = Extract<HistoryFact, { kind: 'terminate' }>;

/**
 * Returns parts of an agent that record its decisions to end pods, until its life ends.
 *
 * @param life returns the life of the agent that is created
 */
export function recordTerminations(
  base: Partial<AgentParts>,
  history: HistoryRecorder,
  life: () => AgentLife | undefined,
): Partial<AgentParts> {
  return {
    ...base,
    createPodWorkers(ports, options) {
      const mine = life();
      const record = (uid: string, reason: Termination['reason']): void => {
        if (mine?.signal.aborted !== true) history.add({ kind: 'terminate', uid, reason });
      };
      return override((base.createPodWorkers ?? createPodWorkers)(ports, options), (part) => ({
        terminate(uid, request) {
          // An eviction limits the grace period, a pre-emption does not.
          if (request.reason === 'evicted')
            record(uid, request.gracePeriodSeconds === undefined ? 'pre-empted' : 'evicted');
          if (request.reason === 'killed') record(uid, 'shutdown');
          return part.terminate(uid, request);
        },
        terminateRuntimePod(pod) {
          record(pod.uid, 'orphaned');
          part.terminateRuntimePod(pod);
        },
      }));
    },
  };
}
