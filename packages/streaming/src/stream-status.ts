/** The part of a metav1.Status that streams need, in the form in which runtimes send it. */
export interface StreamStatus {
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes: readonly { readonly reason?: string; readonly message: string }[] };
  readonly code?: number;
}

/** Success: an exec with exit code 0, or an attach whose container has exited. */
export const STREAM_SUCCESS: StreamStatus = { metadata: {}, status: 'Success' };

/**
 * Returns the status of an exec that exited with this code: clients find the code in the cause `ExitCode` of the reason `NonZeroExitCode`. `text` is the runtime's for
 * its message; default: the code alone.
 */
export function exitStatus(code: number, text: string = String(code)): StreamStatus {
  if (code === 0) return STREAM_SUCCESS;
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: ${text}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

/** Returns the status of a stream that failed for another reason than its command's exit. */
export function internalErrorStatus(message: string): StreamStatus {
  return {
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${message}`,
    reason: 'InternalError',
    details: { causes: [{ message }] },
    code: 500,
  };
}
