import { writeSync } from 'node:fs';
import { type Logger, systemClock } from '@rxlet/component-base';
import { createKlogLogger, createLogOutput, type KlogOptions, type LogOutputOptions } from '@rxlet/component-base/klog';

/** Settings of the agent's log. */
export interface LogSettings extends Pick<KlogOptions, 'format' | 'verbosity' | 'vmodule'>, LogOutputOptions {}

/** The log of the agent, on its standard streams. Disposing of it writes what is held back. */
export interface AgentLog extends Disposable {
  readonly logger: Logger;
  /** Sets the verbosity of the logger and of all its children. */
  setVerbosity(verbosity: number): void;
  /** Sets the verbosities of single loggers. */
  setVmodule(vmodule: NonNullable<KlogOptions['vmodule']>): void;
}

const STDOUT = 1;
const STDERR = 2;

/** Creates an {@link AgentLog}. */
export function createAgentLog(settings: LogSettings): AgentLog {
  const output = createLogOutput(
    { clock: systemClock, writeInfo: (text) => writeTo(STDOUT, text), writeError: (text) => writeTo(STDERR, text) },
    settings,
  );
  const { logger, setVerbosity, setVmodule } = createKlogLogger(
    { clock: systemClock, write: output.write },
    { ...settings, pid: process.pid, program: 'rxlet' },
  );
  // The lines before an unexpected exit are the ones that explain it.
  process.on('exit', output.flush);
  return {
    logger,
    setVerbosity,
    setVmodule,
    [Symbol.dispose]() {
      process.off('exit', output.flush);
      output[Symbol.dispose]();
    },
  };
}

/** Attempts to write to a pipe whose reader is slow, and the pause between two. */
const WRITE_ATTEMPTS = 10;
const WRITE_PAUSE_MS = 10;

/** Writes a text at once. A full disk or a closed pipe costs log lines, never the agent. */
function writeTo(descriptor: number, text: string): void {
  let rest: Uint8Array = Buffer.from(text);
  for (let attempt = 0; rest.length > 0 && attempt < WRITE_ATTEMPTS;) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      attempt += 1;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WRITE_PAUSE_MS);
    }
  }
}
