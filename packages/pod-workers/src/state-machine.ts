export {
  afterCompletion,
  afterWaiting,
  type FinishedState,
  initialState,
  requestTermination,
  type SyncingState,
  type TerminatedState,
  type TerminatingState,
  type WaitingState,
} from './pod-worker-state.ts';
