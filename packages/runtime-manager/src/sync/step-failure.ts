import { callErrorDetails, callErrorText } from '@rxlet/cri-api';
import type { SyncAction, SyncFailureReason, SyncResult } from './sync-result.ts';

/** Ends a step of a sync. It never leaves the package: each step turns it into its result. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
  readonly reason: SyncFailureReason;
  readonly backoffUntilMs: number | undefined;

  constructor(
    reason: SyncFailureReason,
    message: string,
    options: ErrorOptions & { backoffUntilMs?: number | undefined } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.backoffUntilMs = options.backoffUntilMs;
  }
}

/** Runs one part of a step; whatever it throws becomes a failure for `reason`. */
export async function failingAs<T>(reason: SyncFailureReason, part: () => T | Promise<T>): Promise<T> {
  try {
    return await part();
  } catch (error) {
    throw error instanceof StepFailure ? error : new StepFailure(reason, callErrorDetails(error), { cause: error });
  }
}

/** The result that a thrown error stands for. */
export function failedResult(
  action: SyncAction,
  target: string,
  error: unknown,
  otherwise: SyncFailureReason,
): SyncResult {
  const failure = error instanceof StepFailure ? error : new StepFailure(otherwise, callErrorText(error));
  const { reason, message, backoffUntilMs } = failure;
  return { action, target, reason, message, ...(backoffUntilMs !== undefined && { backoffUntilMs }) };
}
