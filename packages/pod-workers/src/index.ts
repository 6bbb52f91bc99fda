export { createPodWorkers, PodTerminated, type PodWorkersOptions, type PodWorkersPorts } from './create-pod-workers.ts';
export { effectiveGracePeriodSeconds } from './effective-grace-period.ts';
export { killPodNow, PodKillTimeoutError, type KillPodPorts } from './kill-pod-now.ts';
export { createPodStates, type PodStates, type WritablePodStates } from './pod-states.ts';
export type { PodSubject } from './pod-subject.ts';
export type {
  PodSyncer,
  RetryHint,
  SyncOutcome,
  SyncRequest,
  TerminatedRequest,
  TerminatingRequest,
} from './pod-syncer.ts';
export {
  couldHaveRunningContainers,
  isKnownTerminated,
  isTerminationRequested,
  shouldBeFinished,
  shouldContainersBeTerminating,
  shouldContentBeRemoved,
  shouldRuntimeBeRemoved,
} from './pod-worker-questions.ts';
export type { PodRecord, PodWorkerSnapshot } from './pod-worker-snapshot.ts';
export type { PodWorkerState } from './pod-worker-state.ts';
export type { TerminationReason } from './termination-reason.ts';
export type { TerminationRequest } from './termination-request.ts';
export type { PodWorkers, PodWorkerTransition } from './pod-workers.ts';
export type { RetryObserver, RuntimeStatusSource } from './step-runner.ts';
