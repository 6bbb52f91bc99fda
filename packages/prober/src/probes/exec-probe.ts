import { formatGoDuration, goQuote } from '@rxlet/component-base/go';
import { callErrorCode, callErrorText, type RuntimeService, StatusCode } from '@rxlet/cri-api';
import type { EnvVar, ExecAction } from '@rxlet/kube-api';
import { expandVariables, MAX_EXPANDED_LENGTH } from '@rxlet/pod-model';
import { ProbeError, type ProbeOutcome, type ProbeRequest } from '../probe-runner.ts';
import { MAX_OUTPUT_BYTES, outputText } from './output.ts';

/** Runs a command in the container. Exit code 0 is a success. The runtime enforces the timeout. */
export async function runExecProbe(
  runtime: Pick<RuntimeService, 'execSync'>,
  { containerId, container, timeoutMs }: ProbeRequest,
  { command = [] }: ExecAction,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const cmd = expandCommand(command, container.env ?? []);
  try {
    const timeout = BigInt(timeoutMs / 1000);
    const { exitCode, stdout, stderr } = await runtime.execSync({ containerId, cmd, timeout }, { signal });
    const both = stdout.length < MAX_OUTPUT_BYTES ? Buffer.concat([stdout, stderr]) : stdout;
    return { result: exitCode === 0 ? 'success' : 'failure', output: outputText(both) };
  } catch (error) {
    signal.throwIfAborted();
    if (callErrorCode(error) === StatusCode.DeadlineExceeded) {
      const command = cmd.join(' ').slice(0, MAX_OUTPUT_BYTES);
      const output = `command timed out: ${goQuote(command)} timed out after ${formatGoDuration(timeoutMs)}`;
      return { result: 'failure', output };
    }
    throw new ProbeError('unknown', callErrorText(error), { cause: error });
  }
}

/**
 * Returns the command with each `$(NAME)` replaced from the `env` of the container. Only literal values are available: a variable with `valueFrom` is empty, and one
 * of `envFrom` or of a service is not replaced.
 *
 * @throws RangeError for a command that no runtime takes
 */
export function expandCommand(command: readonly string[], env: readonly EnvVar[]): string[] {
  const values = new Map(env.map(({ name, value }) => [name, value ?? '']));
  let length = 0;
  return command.map((argument) => {
    const expanded = expandVariables(argument, (name) => values.get(name));
    length += expanded.length;
    if (length > MAX_EXPANDED_LENGTH)
      throw new RangeError(`the command has more than ${String(MAX_EXPANDED_LENGTH)} characters`);
    return expanded;
  });
}
