import { errorMessage } from '@rxlet/component-base';
import { callErrorCode, callErrorDetails, callErrorText } from '@rxlet/cri-api';
import type { SyncAction, SyncFailureReason, SyncResult } from './sync-result.ts';

/** A step of a sync failed. The error is internal: each step converts it to its result. */
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

/** Runs one part of a step, and converts its errors to failures with `reason`. */
export async function failingAs<T>(reason: SyncFailureReason, part: () => T | Promise<T>): Promise<T> {
  try {
    return await part();
  } catch (error) {
    if (error instanceof StepFailure) throw error;
    const message = callErrorCode(error) === undefined ? errorMessage(error) : callErrorDetails(error);
    throw new StepFailure(reason, message, { cause: error });
  }
}

/** Returns the text of an error: a failed call in the kubelet's format, or the message of any other error. */
export function failureText(error: unknown): string {
  return callErrorCode(error) === undefined ? errorMessage(error) : callErrorText(error);
}

/** Returns the result of a failed step. */
export function failedResult(
  action: SyncAction,
  target: string,
  error: unknown,
  defaultReason: SyncFailureReason,
): SyncResult {
  const failure = error instanceof StepFailure ? error : new StepFailure(defaultReason, failureText(error));
  const { reason, message, backoffUntilMs } = failure;
  return { action, target, reason, message, ...(backoffUntilMs !== undefined && { backoffUntilMs }) };
}
