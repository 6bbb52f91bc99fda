import { CriError } from './cri-error.ts';

/** RPCs that change something on the node. The URLs that Exec, Attach and PortForward answer with do not count: nothing runs until they are used. */
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

/**
 * What a failed call did:
 *
 * - `none`: certainly nothing. It never left, the runtime lacks the RPC, or the RPC only reads.
 * - `refused`: the runtime said that it failed, and has ended its work on it. It may have done a part.
 * - `unknown`: it left, and no answer tells. The runtime may have done it, may still be at it, or may never have seen it. List before you repeat it:
 *   a second `CreateContainer` is refused with `name is reserved` when the first one took effect.
 */
export type CallOutcome = 'none' | 'refused' | 'unknown';

/** Outcome of a call whose answer is missing; `sent`: whether it may have left. */
export function outcomeWithoutAnswer(method: string, sent: boolean): CallOutcome {
  return sent && MUTATING.has(method) ? 'unknown' : 'none';
}

/** Outcome of a call that the runtime refused. */
export function outcomeOfRefusal(method: string): CallOutcome {
  return MUTATING.has(method) ? 'refused' : 'none';
}

/** Whether a failed call may have taken effect, or may do so yet. */
export function hasUnknownOutcome(error: unknown): error is CriError & { readonly outcome: 'unknown' } {
  return error instanceof CriError && error.outcome === 'unknown';
}
