import type { Pod } from '@rxlet/kube-api';
import { UsageError } from '../../config/config-error.ts';
import { AgentConnectionError } from '../agent-connection.ts';
import { chooseContainer } from '../choose-container.ts';
import { findPod } from '../find-pod.ts';
import type { StreamCommandContext } from './stream-context.ts';
import { runStreamSession } from './stream-session.ts';

/** Options of {@link execCommand}. */
export interface ExecOptions {
  readonly pod: string;
  readonly namespace: string;
  readonly container?: string;
  /** The command and its arguments. */
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly tty: boolean;
  /** Prints only the output of the command. */
  readonly quiet: boolean;
}

/**
 * Runs `rxlet exec`, as `kubectl exec` does it.
 * @throws CommandExitError with the exit code of the command
 * @throws UsageError without a command
 */
export async function execCommand(context: StreamCommandContext, options: ExecOptions): Promise<void> {
  if (options.command.length === 0) throw new UsageError('you must specify at least one command for the container');
  const { connection, console, terminal } = context;
  const pod = await findPod(connection, options.pod, options.namespace, terminal.signal);
  rejectCompleted(pod, 'exec into');
  const warn = (notice: string): void => {
    if (!options.quiet) terminal.printError(notice);
  };
  const { name } = chooseContainer(pod, options.container, warn);
  const hasTerminal = options.stdin && options.tty;
  if (hasTerminal && !console.isTerminal) {
    warn('Unable to use a TTY - input is not a terminal or the right kind of file');
  }
  const tty = hasTerminal && console.isTerminal;
  await runStreamSession(context, {
    path: execPath(pod, name, options.command),
    options: { stdin: options.stdin, stdout: true, stderr: !tty, tty },
  });
}

/** Returns the path of `/exec` for a command. */
export function execPath(pod: Pod, container: string, command: readonly string[]): string {
  const words = command.map((word) => `command=${encodeURIComponent(word)}`);
  return `${containerPath('/exec', pod, container)}?${words.join('&')}`;
}

/** Returns the path of an endpoint for a container. */
export function containerPath(endpoint: string, { metadata }: Pod, container: string): string {
  const parts = [metadata?.namespace ?? '', metadata?.name ?? '', container];
  return [endpoint, ...parts.map(encodeURIComponent)].join('/');
}

/** Throws an AgentConnectionError for a pod that has ended. */
export function rejectCompleted({ status }: Pod, verb: 'attach' | 'exec into'): void {
  if (status?.phase !== 'Succeeded' && status?.phase !== 'Failed') return;
  throw new AgentConnectionError(`cannot ${verb} a container in a completed pod; current phase is ${status.phase}`);
}
