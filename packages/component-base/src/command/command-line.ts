import type { CommandIo } from './run-command.ts';

/** Exit code of a command line, or a file that it names, that cannot be used. */
export const USAGE_ERROR = 2;

/** Result of parsing a command line: flags, a text to print, or an error. */
export type ParsedCommandLine<Flags> =
  | { readonly kind: 'flags'; readonly flags: Flags }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'error'; readonly message: string };

/** The part of a `Command` of commander that {@link parseCommandLine} uses. */
export interface CommandLine {
  allowExcessArguments(isAllowed: boolean): unknown;
  exitOverride(): unknown;
  configureOutput(output: {
    readonly writeOut: (text: string) => void;
    readonly writeErr: (text: string) => void;
  }): unknown;
  parse(args: readonly string[], options: { readonly from: 'user' }): unknown;
}

/**
 * Parses the arguments after the program's name. `read` makes flags from the parsed command. It may throw an `InvalidArgumentError` of commander, as parsers of single options do.
 */
export function parseCommandLine<C extends CommandLine, Flags>(
  command: C,
  args: readonly string[],
  read: (command: C) => Flags,
): ParsedCommandLine<Flags> {
  let text = '';
  const write = (part: string): void => void (text += part);
  command.allowExcessArguments(false);
  command.exitOverride();
  command.configureOutput({ writeOut: write, writeErr: write });
  try {
    command.parse(args, { from: 'user' });
    return { kind: 'flags', flags: read(command) };
  } catch (error) {
    if (!isCommanderError(error)) throw error;
    if (error.exitCode === 0) return { kind: 'help', text };
    return { kind: 'error', message: error.message.replace(/^error: /, '').replaceAll('\n', ' ') };
  }
}

/** Prints the help or the error of a command line, or runs the command. @returns the exit code */
export async function runParsed<Flags>(
  name: string,
  parsed: ParsedCommandLine<Flags>,
  io: Pick<CommandIo, 'stdout' | 'stderr'>,
  run: (flags: Flags) => Promise<number>,
): Promise<number> {
  switch (parsed.kind) {
    case 'help':
      io.stdout(parsed.text);
      return 0;
    case 'error':
      io.stderr(`${name}: ${parsed.message} (see ${name} --help)\n`);
      return USAGE_ERROR;
    case 'flags':
      return run(parsed.flags);
  }
}

/** Returns host and port of `HOST:PORT`, or of `[IPV6]:PORT`; `undefined` for another text. */
export function parseHostPort(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, ipv6, host = ipv6, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) return undefined;
  return { host, port: Number(port) };
}

function isCommanderError(error: unknown): error is Error & { readonly exitCode: number } {
  return (
    error instanceof Error && 'code' in error && String(error.code).startsWith('commander.') && 'exitCode' in error
  );
}
