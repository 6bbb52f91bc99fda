import { type Container, isRunning, stateName } from '../container.ts';
import { surroundingsOf } from '../process/container-process.ts';
import { execProgram } from '../process/exec-program.ts';
import { startProcess } from '../process/process.ts';
import type { RuntimeState } from '../runtime-state.ts';
import type { CommandStreams, StreamedCommand } from './stream-request.ts';
import { exitStatus } from './stream-status.ts';

/** What tells a program that its terminal has another size. */
export const SIGWINCH = 28;

/**
 * Runs `cmd` in a container on a client's streams. A client that goes away does not end the program, as in containerd: its stdin ends, and what it
 * writes is dropped. It is killed with its container. Throws when the container does not run any more, or the fake does not have the program.
 */
export function execInContainer(
  state: RuntimeState,
  container: Container,
  cmd: readonly string[],
  streams: CommandStreams,
): StreamedCommand {
  if (!isRunning(container)) throw new Error(`container "${container.id}" is in ${stateName(container)} state`);
  const exec = startProcess(execProgram(state, container, cmd), {
    clock: state.clock,
    pid: state.nextPid(),
    surroundings: surroundingsOf(state, container),
    stdin: streams.stdin,
    write: (stream, text) => streams.write(stream, text),
    onExit: () => void container.execs.delete(exec),
  });
  container.execs.add(exec);
  return {
    ended: exec.exited.then(({ code }) => exitStatus(code)),
    resize: () => exec.signal(SIGWINCH),
  };
}
