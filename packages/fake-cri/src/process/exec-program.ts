import { errorMessage } from '@rxlet/component-base';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import type { Container } from '../runtime-objects.ts';
import type { RuntimeState } from '../runtime-state.ts';
import { elapsedMs } from '../scripts/container-plan.ts';
import { execResultAt } from '../scripts/plan.ts';
import { scriptedExec } from '../scripts/scripted-program.ts';
import type { Program } from './program.ts';
import { resolveProgram } from './resolve-program.ts';

/**
 * Returns the program of an exec: the scripted result of the command, otherwise a built-in program. A container may run an unknown program, but an exec of one
 * fails, because its result would be made up. Throws InvalidArgument and Unknown.
 */
export function execProgram(
  state: Pick<RuntimeState, 'clock'>,
  container: Pick<Container, 'plan' | 'startedMs'>,
  cmd: readonly string[],
): Program {
  if (cmd.length === 0) throw new ServiceError(StatusCode.InvalidArgument, 'cmd cannot be empty');
  const scripted =
    container.plan === undefined ? undefined : execResultAt(container.plan, cmd, elapsedMs(state.clock, container));
  if (scripted !== undefined) return scriptedExec(scripted);
  let program: Program | undefined;
  try {
    program = resolveProgram(cmd, (name, context) => {
      context.write('stderr', `sh: ${name}: not found\n`);
      return Promise.resolve(127);
    });
  } catch (error) {
    throw new ServiceError(StatusCode.Unknown, `failed to exec in container: ${errorMessage(error)}`, { cause: error });
  }
  if (program !== undefined) return program;
  throw new ServiceError(
    StatusCode.Unknown,
    `failed to exec in container: exec: "${cmd[0]!}": executable file not found in $PATH`,
  );
}
