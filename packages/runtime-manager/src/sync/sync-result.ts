import { goQuote } from '@rxlet/component-base';

/** One kind of step that a sync takes. */
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
 * Why a step failed, in the words that users know from `kubectl get pods`. Reasons about images come from the {@link ImageEnsurer}, which may know
 * more of them.
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

/** Why there is no image to start a container from. */
export type ImageFailureReason =
  | 'ErrImageNeverPull'
  | 'ErrImagePull'
  | 'ImageInspectError'
  | 'ImagePullBackOff'
  | 'InvalidImageName'
  | 'RegistryUnavailable'
  | 'SignatureValidationFailed';

/** The outcome of one step of a sync; it succeeded when it has no reason. */
export interface SyncResult {
  readonly action: SyncAction;
  /** Name of the container, id of the sandbox to stop, or `name_namespace(uid)` of the pod. */
  readonly target: string;
  readonly reason?: SyncFailureReason;
  readonly message?: string;
  /** The step failed only because it is too early to try again; from then on (epoch milliseconds) it is not. */
  readonly backoffUntilMs?: number;
}

/** A step of a sync as it is streamed, with the pod it belongs to. */
export interface PodSyncStep extends SyncResult {
  readonly pod: { readonly uid: string; readonly name: string; readonly namespace: string };
}

/** What one sync of a pod did. Failures are results, not rejections: one container's does not keep the others from starting. */
export interface PodSyncResult {
  /** The steps in the order in which they ended. Empty: there was nothing to do. */
  readonly results: readonly SyncResult[];
  /** Set when any step failed. */
  readonly error?: PodSyncError;
}

/** Some steps of a sync failed. */
export class PodSyncError extends Error {
  override readonly name = 'PodSyncError';
  readonly reason = 'SyncFailed';
  readonly failures: readonly SyncResult[];
  /** Set when every failure is a back-off: the earliest time (epoch milliseconds) at which another sync can get further. */
  readonly backoffUntilMs: number | undefined;

  constructor(failures: readonly SyncResult[]) {
    super(failures.map(describe).join(', '));
    this.failures = failures;
    const times = failures.map(({ backoffUntilMs }) => backoffUntilMs);
    this.backoffUntilMs = times.every((time) => time !== undefined) ? Math.min(...times) : undefined;
  }
}

function describe({ action, target, reason, message }: SyncResult): string {
  return `failed to "${action}" for "${target}" with ${reason ?? ''}: ${goQuote(message ?? '')}`;
}

/** Makes the result of a sync from its steps. */
export function podSyncResult(results: readonly SyncResult[]): PodSyncResult {
  const failures = results.filter(({ reason }) => reason !== undefined);
  return failures.length === 0 ? { results } : { results, error: new PodSyncError(failures) };
}
