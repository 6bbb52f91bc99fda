import { goQuote } from '@rxlet/component-base/go';
import { callErrorCode, callErrorText, type RuntimeService, StatusCode } from '@rxlet/cri-api';
import type { ExecAction } from '@rxlet/kube-api';

/** Limit of a hook's output in its error, which is part of the pod's status. */
const MAX_OUTPUT_BYTES = 10 * 1024;

/** Outcome of an exec hook. */
export interface ExecHookOutcome {
  /** Absent when it succeeded. */
  readonly error: unknown;
  /** Output of the command: stdout, then stderr. */
  readonly output: string;
}

/** Runs a command in a container, without a timeout. Variables in the command are not expanded, as in the kubelet. */
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
    return { error: new Error(message), output: '' };
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_OUTPUT_BYTES)).toString();
}
