import { chooseContainer } from '../choose-container.ts';
import { findPod } from '../find-pod.ts';
import { containerPath, type ExecOptions, rejectCompleted } from './exec.ts';
import type { StreamCommandContext } from './stream-context.ts';
import { runStreamSession } from './stream-session.ts';

/** Options of {@link attachCommand}. */
export type AttachOptions = Omit<ExecOptions, 'command'>;

const RECORDING_NOTICE =
  'Everything that is typed and printed here is recorded in the logs of the container, including credentials and other secrets at the command prompt.';
const PROMPT_NOTICE = "If you don't see a command prompt, try pressing enter.";

/** Runs `rxlet attach`, as `kubectl attach` does it: a container that has a terminal gets one, any other does not. */
export async function attachCommand(context: StreamCommandContext, options: AttachOptions): Promise<void> {
  const { connection, console, terminal } = context;
  const pod = await findPod(connection, options.pod, options.namespace, terminal.signal);
  rejectCompleted(pod, 'attach');
  const warn = (notice: string): void => {
    if (!options.quiet) terminal.printError(notice);
  };
  const container = chooseContainer(pod, options.container, warn);
  const hasTerminal = container.tty === true;
  if (options.tty && !hasTerminal) {
    warn(`error: Unable to use a TTY - container ${container.name} did not allocate one`);
  }
  const tty = hasTerminal && options.stdin && console.isTerminal;
  if (hasTerminal && options.stdin && !console.isTerminal) {
    warn('Unable to use a TTY - input is not a terminal or the right kind of file');
  }
  warn(RECORDING_NOTICE);
  warn(PROMPT_NOTICE);
  await runStreamSession(context, {
    path: `${containerPath('/attach', pod, container.name)}?`,
    // The runtime rejects stderr beside a terminal.
    options: { stdin: options.stdin, stdout: true, stderr: !hasTerminal, tty },
  });
  if (!options.quiet && tty) {
    const { namespace = '', name = '' } = pod.metadata ?? {};
    terminal.print(
      `Session ended, resume using 'rxlet attach ${name} -c ${container.name} -n ${namespace} -i -t' command`,
    );
  }
}
