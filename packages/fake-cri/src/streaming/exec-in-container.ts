import { type CommandStreams, exitStatus, type StreamStatus } from '@rxlet/streaming';
import { isRunning, stateName } from '../container.ts';
import type { Container } from '../runtime-objects.ts';
import { startInContainer } from '../process/container-process.ts';
import { execProgram } from '../process/exec-program.ts';
import type { RuntimeState } from '../runtime-state.ts';
import type { Process } from '../process/process.ts';
import { inputFrom, outputTo } from './client-streams.ts';
import { createLineTerminal } from './line-terminal.ts';

/** Interruption by Ctrl-C. */
const SIGINT = 2;
/** Notification of a program that the size of its terminal has changed. */
export const SIGWINCH = 28;

/** A command for {@link execInContainer}. */
export interface ExecCommand {
  readonly cmd: readonly string[];
  readonly tty: boolean;
}

/**
 * Runs a command in a container on a client's streams. A disconnected client does not end the program, as in containerd: its stdin ends, and its output is dropped.
 * It is killed with its container. Rejects when the container does not run, or the fake does not have the program; stays pending when the runtime stops.
 */
export async function execInContainer(
  state: RuntimeState,
  container: Container,
  { cmd, tty }: ExecCommand,
  streams: CommandStreams,
): Promise<StreamStatus> {
  if (!isRunning(container)) throw new Error(`container "${container.id}" is in ${stateName(container)} state`);
  const program = execProgram(state, container, cmd);
  const client = { stdin: inputFrom(streams.stdin), write: outputTo(streams, tty) };
  const typed = client.stdin;
  const terminal = !tty
    ? undefined
    : createLineTerminal({ typed, write: client.write, onInterrupt: () => exec.signal(SIGINT) });
  const exec: Process = startInContainer(state, container, program, {
    argv: cmd,
    stdin: terminal?.input ?? client.stdin,
    write: terminal?.write ?? client.write,
    hasTerminal: tty,
    onStart: (process) => void container.execs.add(process),
    onExit: () => void container.execs.delete(exec),
  });
  streams.onResize(() => exec.signal(SIGWINCH));
  const ended = new AbortController();
  // Rejects only when the program has ended.
  terminal?.run(ended.signal).catch(() => undefined);
  const { code } = await exec.exited;
  ended.abort();
  return exitStatus(code, `error executing command [${cmd.join(' ')}], exit code ${String(code)}`);
}
