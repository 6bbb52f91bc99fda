import type { StreamStatus } from '../stream-status.ts';

/** Outcome of an exec or attach: its exit code, or a failure of another kind in words. */
export type StreamOutcome =
  { readonly kind: 'exited'; readonly code: number } | { readonly kind: 'failed'; readonly message: string };

/** Parses the text on the stream for errors. Protocols without JSON send the message of a failure only. */
export function parseOutcome(text: string, hasJson: boolean): StreamOutcome {
  if (!hasJson) {
    return text === ''
      ? { kind: 'exited', code: 0 }
      : { kind: 'failed', message: `error executing remote command: ${text}` };
  }
  let status: Partial<StreamStatus>;
  try {
    status = JSON.parse(text) as Partial<StreamStatus>;
  } catch (error) {
    return failed(`error stream protocol error: ${(error as Error).message} in ${JSON.stringify(text)}`);
  }
  if (status.status === 'Success') return { kind: 'exited', code: 0 };
  if (status.status !== 'Failure') return failed('error stream protocol error: unknown error');
  if (status.reason !== 'NonZeroExitCode') return failed(status.message ?? '');
  if (status.details === undefined) return failed('error stream protocol error: details must be set');
  const code = status.details.causes.find(({ reason }) => reason === 'ExitCode')?.message;
  if (code === undefined) return failed('error stream protocol error: no ExitCode cause given');
  if (!/^\d{1,3}$/.test(code) || Number(code) > 0xff) {
    return failed(`error stream protocol error: invalid exit code value ${JSON.stringify(code)}`);
  }
  return { kind: 'exited', code: Number(code) };
}

function failed(message: string): StreamOutcome {
  return { kind: 'failed', message };
}
