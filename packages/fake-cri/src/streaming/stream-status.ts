/** The part of a metav1.Status that streams need, in the form in which runtimes send it. */
export interface StreamStatus {
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes: readonly { readonly reason?: string; readonly message: string }[] };
  readonly code?: number;
}

/** It ended well: an exec with exit code 0, or an attach whose container has ended. */
export const STREAM_SUCCESS: StreamStatus = { metadata: {}, status: 'Success' };

/** How an exec with this exit code ended: the code is the cause `ExitCode` of the reason `NonZeroExitCode`, where kubectl looks for it. */
export function exitStatus(code: number): StreamStatus {
  if (code === 0) return STREAM_SUCCESS;
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: ${String(code)}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

/** It could not be done at all. */
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
