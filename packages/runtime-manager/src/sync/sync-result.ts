import type { ImageFailureReason } from '@rxlet/agent-api/images';
import { goQuote } from '@rxlet/component-base/go';

/** Kind of a step of a sync. */
export type SyncAction =
  | 'ConfigPodSandbox'
  | 'CreatePodSandbox'
  | 'KillContainer'
  | 'KillPodSandbox'
  | 'RemoveContainer'
  | 'RemovePodFiles'
  | 'RemovePodSandbox'
  | 'ResizePodInPlace'
  | 'StartContainer';

/**
 * Reason for the failure of a step, as shown by `kubectl get pods`. Reasons about images come from the `ImageEnsurer`, which may have others.
 */
export type SyncFailureReason =
  | 'ConfigPodSandboxError'
  | 'CrashLoopBackOff'
  | 'CreateContainerConfigError'
  | 'CreateContainerError'
  | 'CreatePodSandboxError'
  | 'KillContainerError'
  | 'KillPodSandboxError'
  | 'PostStartHookError'
  | 'PreCreateHookError'
  | 'PreStartHookError'
  | 'RemoveContainerError'
  | 'RemovePodFilesError'
  | 'RemovePodSandboxError'
  | 'ResizePodInPlaceError'
  | 'RunContainerError'
  | ImageFailureReason;

/** Outcome of one step of a sync. A step without a reason succeeded. */
export interface SyncResult {
  readonly action: SyncAction;
  /** Name of the container, id of the sandbox to stop, or `name_namespace(uid)` of the pod. */
  readonly target: string;
  readonly reason?: SyncFailureReason;
  readonly message?: string;
  /** End of the back-off (epoch milliseconds) if the step failed because of a pending back-off. */
  readonly backoffUntilMs?: number;
}

/** Outcome of one sync of a pod. Failures are results, not rejections: one container's failure does not keep the others from starting. */
export interface PodSyncResult {
  /** Steps in the order in which they ended. Empty if no step was necessary. */
  readonly results: readonly SyncResult[];
  /** Set when any step failed. */
  readonly error?: PodSyncError;
}

/** Failures in a message; of others, the number. A pod may have thousands of containers. */
const MAX_DESCRIBED = 20;

/** One or more steps of a sync failed. */
export class PodSyncError extends Error {
  override readonly name = 'PodSyncError';
  readonly reason = 'SyncFailed';
  readonly failures: readonly SyncResult[];
  /** End of the first back-off (epoch milliseconds), set when every failure is a back-off. Until then, another sync cannot make progress. */
  readonly backoffUntilMs: number | undefined;

  constructor(failures: readonly SyncResult[]) {
    super(describeAll(failures));
    this.failures = failures;
    const times = failures.map(({ backoffUntilMs }) => backoffUntilMs);
    this.backoffUntilMs = times.every((time) => time !== undefined) ? Math.min(...times) : undefined;
  }
}

function describeAll(failures: readonly SyncResult[]): string {
  const described = failures.slice(0, MAX_DESCRIBED).map(describe);
  const others = failures.length - described.length;
  return [...described, ...(others === 0 ? [] : [`and ${String(others)} more`])].join(', ');
}

function describe({ action, target, reason, message }: SyncResult): string {
  return `failed to "${action}" for "${target}" with ${reason ?? ''}: ${goQuote(message ?? '')}`;
}

/** Returns the result of a sync with the given steps. */
export function podSyncResult(results: readonly SyncResult[]): PodSyncResult {
  const failures = results.filter(({ reason }) => reason !== undefined);
  return failures.length === 0 ? { results } : { results, error: new PodSyncError(failures) };
}
