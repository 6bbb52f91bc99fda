import { sleep } from '@rxlet/component-base';
import type { ProcessContext, Program } from '../process/program.ts';
import { SIGTERM } from '../process/signals.ts';
import type { Plan } from './plan.ts';
import type { ScriptedExecResult, ScriptedLog } from './script.ts';

/** Returns the program of a plan that replaces the container's command. */
export function scriptedProgram({ runSeconds, exitCode, ignoreSigterm = false, log = [] }: Plan): Program {
  return async (context) => {
    if (ignoreSigterm) context.handle(SIGTERM, 'ignore');
    // They end with the process.
    for (const line of log) writeLines(line, context).catch(() => undefined);
    const durationMs = (runSeconds ?? (exitCode === undefined ? Infinity : 0)) * 1000;
    if (durationMs > 0) await sleep(context.clock, durationMs, context.signal);
    return exitCode ?? 0;
  };
}

async function writeLines(
  { text, stream = 'stdout', afterSeconds = 0, everySeconds, count }: ScriptedLog,
  { clock, signal, write }: ProcessContext,
): Promise<void> {
  const times = everySeconds === undefined ? 1 : (count ?? Infinity);
  if (afterSeconds > 0) await sleep(clock, afterSeconds * 1000, signal);
  for (let written = 1; ; written += 1) {
    write(stream, `${text}\n`);
    if (written >= times) return;
    await sleep(clock, everySeconds! * 1000, signal);
  }
}

/** Returns an exec with a scripted result. */
export function scriptedExec({
  exitCode = 0,
  stdout = '',
  stderr = '',
  takesSeconds = 0,
}: ScriptedExecResult): Program {
  return async (context) => {
    if (takesSeconds > 0) await sleep(context.clock, takesSeconds * 1000, context.signal);
    if (stdout !== '') context.write('stdout', stdout);
    if (stderr !== '') context.write('stderr', stderr);
    return exitCode;
  };
}
