import { CriError } from './cri-error.ts';
import type { CallOutcome } from './call-outcome.ts';

/** RPCs with effects on the node. Exec, Attach and PortForward return only URLs: nothing runs until they are used. */
const MUTATING: ReadonlySet<string> = new Set([
  'RunPodSandbox',
  'StopPodSandbox',
  'RemovePodSandbox',
  'UpdatePodSandboxResources',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'RemoveContainer',
  'UpdateContainerResources',
  'ReopenContainerLog',
  'CheckpointContainer',
  'ExecSync',
  'UpdateRuntimeConfig',
  'PullImage',
  'RemoveImage',
]);

/** Returns the outcome of a call without an answer; `sent`: whether it may have been sent. */
export function outcomeWithoutAnswer(method: string, sent: boolean): CallOutcome {
  return sent && MUTATING.has(method) ? 'unknown' : 'none';
}

/** Returns the outcome of a call that the runtime rejected. */
export function outcomeOfRefusal(method: string): CallOutcome {
  return MUTATING.has(method) ? 'rejected' : 'none';
}

/** Reports whether a failed call may have taken effect, or may still do so. */
export function hasUnknownOutcome(error: unknown): error is CriError & { readonly outcome: 'unknown' } {
  return error instanceof CriError && error.outcome === 'unknown';
}
