import { callErrorCode, statusCodeName } from './status-code.ts';

/**
 * Returns the runtime's own message of a failed call from the `details` of a client's error; for any other error its message.
 */
export function callErrorDetails(error: unknown): string {
  const details = (error as { readonly details?: unknown } | null | undefined)?.details;
  if (typeof details === 'string' && details !== '') return details;
  return error instanceof Error ? error.message : String(error);
}

/** Formats a failed call as Go's gRPC and so a kubelet prints it: `rpc error: code = NotFound desc = …`. An error without a code is its message alone. */
export function callErrorText(error: unknown): string {
  const code = callErrorCode(error);
  const details = callErrorDetails(error);
  return code === undefined ? details : `rpc error: code = ${statusCodeName(code)} desc = ${details}`;
}
