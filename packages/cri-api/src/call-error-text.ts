import { callErrorCode, statusCodeName } from './status-code.ts';

/**
 * The runtime's own words on a failed call, where the error carries them in `details` apart from its message, as those of a client do; of any other error
 * its message.
 */
export function callErrorDetails(error: unknown): string {
  const details = (error as { readonly details?: unknown } | null | undefined)?.details;
  if (typeof details === 'string' && details !== '') return details;
  return error instanceof Error ? error.message : String(error);
}

/** A failed call as Go's gRPC prints it, and so a kubelet: `rpc error: code = NotFound desc = …`. An error without a code is its message alone. */
export function callErrorText(error: unknown): string {
  const code = callErrorCode(error);
  const details = callErrorDetails(error);
  return code === undefined ? details : `rpc error: code = ${statusCodeName(code)} desc = ${details}`;
}
