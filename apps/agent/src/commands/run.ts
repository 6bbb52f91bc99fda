import { UsageError } from '../config/config-error.ts';
import type { AgentConnection } from './agent-connection.ts';
import { chooseContainer } from './choose-container.ts';
import { findPod } from './find-pod.ts';
import { CommandExitError } from './streams/command-exit-error.ts';
import { containerPath } from './streams/exec.ts';
import { AgentConnectionError } from './agent-connection.ts';
import type { Terminal } from './terminal.ts';

/** Options of {@link runCommand}. */
export interface RunOptions {
  readonly pod: string;
  readonly namespace: string;
  readonly container?: string;
  readonly command: readonly string[];
}

const EXITED = /^command '.*' exited with (\d+):/s;

/**
 * Runs `rxlet run`: a command without input, whose output is printed when it has ended. The kubelet's endpoint `/run` separates arguments by blanks.
 * @throws CommandExitError with the exit code of the command
 * @throws UsageError for an argument with a blank
 */
export async function runCommand(agent: AgentConnection, terminal: Terminal, options: RunOptions): Promise<void> {
  const { command } = options;
  if (command.length === 0) throw new UsageError('you must specify at least one command for the container');
  if (command.some((word) => word === '' || word.includes(' '))) {
    throw new UsageError('an argument of "rxlet run" cannot have blanks: use "rxlet exec"');
  }
  const pod = await findPod(agent, options.pod, options.namespace, terminal.signal);
  const { name } = chooseContainer(pod, options.container, (notice) => terminal.printError(notice));
  const path = `${containerPath('/run', pod, name)}?cmd=${encodeURIComponent(command.join(' '))}`;
  try {
    for await (const bytes of agent.post(path, terminal.signal)) await terminal.write(bytes);
  } catch (error) {
    const code = error instanceof AgentConnectionError ? EXITED.exec(error.message)?.[1] : undefined;
    if (code !== undefined) throw new CommandExitError(Number(code), (error as Error).message);
    throw error;
  }
}
