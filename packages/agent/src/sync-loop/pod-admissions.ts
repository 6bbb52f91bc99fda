import type { PodConfig } from '@rxlet/pod-config';
import type { PodStates } from '@rxlet/pod-workers';
import type { WaitingPod } from './admission-queue.ts';

/** Desired pods without a worker. The sync loop records them; other parts read them. */
export interface PodAdmissions {
  /** Pods that wait for their admission, by UID. */
  readonly waiting: Map<string, WaitingPod>;
  /** UIDs of rejected pods. A change does not admit them; their source must replace them. */
  readonly rejected: Set<string>;
  /**
   * Reports whether a desired pod is still to be added: it waits for its admission or for a retry, or its latest version is invalid. After a restart of the agent, such a
   * pod may be running.
   */
  awaitsAdmission(podUid: string): boolean;
}

/** Creates empty {@link PodAdmissions}. They exist before the sync loop, for the parts on which it depends. */
export function createPodAdmissions(
  config: Pick<PodConfig, 'find' | 'isInvalid'>,
  podStates: Pick<PodStates, 'state'>,
): PodAdmissions {
  const waiting: PodAdmissions['waiting'] = new Map();
  const rejected = new Set<string>();
  return {
    waiting,
    rejected,
    awaitsAdmission: (uid) =>
      podStates.state(uid) === undefined &&
      !rejected.has(uid) &&
      (waiting.has(uid) || config.find(uid) !== undefined || config.isInvalid(uid)),
  };
}
