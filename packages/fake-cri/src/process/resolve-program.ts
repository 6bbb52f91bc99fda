import { COMMANDS } from '../shell/commands.ts';
import { inputShellProgram, type ShellOptions, shellProgram } from '../shell/interpreter.ts';
import { parseScript } from '../shell/parser.ts';
import { type CommandList, ShellSyntaxError } from '../shell/syntax.ts';
import type { Program } from './program.ts';

const SHELLS: ReadonlySet<string> = new Set(['sh', 'ash', 'bash', 'dash']);

/**
 * Returns the program of `argv`: a shell with a script (`sh -c …`) or with its commands on standard input, or a built-in command. `undefined` for an unknown one. Throws ShellUnsupportedError for a
 * script beyond its subset of the shell.
 */
export function resolveProgram(
  argv: readonly string[],
  unknownCommand: ShellOptions['unknownCommand'],
): Program | undefined {
  const [path = '', ...args] = argv;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const command = COMMANDS.get(name);
  if (command !== undefined) {
    return async (context) => {
      if (!context.isMasked(name)) return command(args, context);
      context.write('stderr', `exec: "${path}": permission denied\n`);
      return 126;
    };
  }
  if (!SHELLS.has(name)) return undefined;

  if (args.every((arg) => ['-', '-s', '-i', '-l'].includes(arg))) {
    return inputShellProgram({ parameters: [path], unknownCommand });
  }
  const [flags = '', script, ...parameters] = args;
  if (!['-c', '-ec', '-ce'].includes(flags) || script === undefined) return undefined;
  const options = {
    parameters: parameters.length > 0 ? parameters : [path],
    exitOnError: flags.includes('e'),
    unknownCommand,
  };
  let list: CommandList;
  try {
    list = parseScript(script);
  } catch (error) {
    if (error instanceof ShellSyntaxError) return syntaxErrorProgram(name, error);
    throw error;
  }
  return shellProgram(list, options);
}

function syntaxErrorProgram(name: string, error: ShellSyntaxError): Program {
  return (context) => {
    context.write('stderr', `${name}: syntax error: ${error.message}\n`);
    return Promise.resolve(2);
  };
}
