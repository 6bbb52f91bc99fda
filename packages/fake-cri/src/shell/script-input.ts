import type { Input } from '../process/program.ts';

/** Maximum length of a line; the rest is another one. */
const MAX_LINE = 64 * 1024;

/** Input of a shell that reads its commands from it. Reading it as input returns what no command has taken. */
export interface ScriptInput extends Input {
  /** Returns the next line with its end, or the rest of the input; `undefined` at the end. */
  readLine(signal: AbortSignal): Promise<string | undefined>;
}

/** Creates a {@link ScriptInput}. */
export function createScriptInput(input: Input): ScriptInput {
  let waiting = '';
  const take = (length: number): string => {
    const taken = waiting.slice(0, length);
    waiting = waiting.slice(length);
    return taken;
  };
  return {
    async read(signal) {
      return waiting === '' ? input.read(signal) : take(waiting.length);
    },
    async readLine(signal) {
      for (;;) {
        const end = waiting.indexOf('\n');
        if (end >= 0) return take(end + 1);
        if (waiting.length >= MAX_LINE) return take(MAX_LINE);
        const text = await input.read(signal);
        if (text === undefined) return waiting === '' ? undefined : take(waiting.length);
        waiting += text;
      }
    },
  };
}
