import { goQuote } from '@rxlet/component-base';
import { callErrorCode, callErrorText, type RuntimeService, StatusCode } from '@rxlet/cri-api';
import type { ExecAction } from '@rxlet/kube-api';

/** As much of a hook's output goes into its error, which ends up in the pod's status. */
const MAX_OUTPUT_BYTES = 10 * 1024;

/** How an exec hook ended. */
export interface ExecHookOutcome {
  /** Absent when it succeeded. */
  readonly error: unknown;
  /** What it wrote: stdout, then stderr. */
  readonly output: string;
}

/** Runs a command in a container, with no limit of time. The command is taken as it is: variables are not expanded in hooks. */
export async function runExecHook(
  runtime: Pick<RuntimeService, 'execSync'>,
  { containerId }: { readonly containerId: string },
  { command = [] }: ExecAction,
  signal: AbortSignal,
): Promise<ExecHookOutcome> {
  const line = command.join(' ');
  try {
    signal.throwIfAborted();
    const request = { containerId, cmd: [...command], timeout: 0n };
    const { exitCode, stdout, stderr } = await runtime.execSync(request, { signal, timeoutMs: Infinity });
    const stderrText = text(stderr);
    const output = text(Buffer.concat([stdout, stderr]));
    if (exitCode === 0) return { error: undefined, output };
    return { error: new Error(`command '${line}' exited with ${String(exitCode)}: ${stderrText}`), output };
  } catch (error) {
    const timedOut = callErrorCode(error) === StatusCode.DeadlineExceeded;
    const message = timedOut ? `command ${goQuote(line)} timed out` : callErrorText(error);
    return { error: new Error(message, { cause: error }), output: '' };
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_OUTPUT_BYTES)).toString();
}
