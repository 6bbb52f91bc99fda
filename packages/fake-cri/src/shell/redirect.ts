import { FileError, resolvePath } from '../fs/file-system.ts';
import type { OutputStream } from '../logs/log-line.ts';
import { emptyInput, type Input, type ProcessContext } from '../process/program.ts';
import { type ExpandPart, expandToOne } from './expand.ts';
import type { ShellState } from './shell-state.ts';
import type { Redirect } from './syntax.ts';

type Write = (text: string) => void;

/**
 * Returns the context of a command with its redirections, which apply from left to right: `>/dev/null 2>&1` silences both outputs. A file is created or
 * truncated before the command runs. Throws FileError.
 */
export async function redirected(
  context: ProcessContext,
  redirects: readonly Redirect[],
  state: Pick<ShellState, 'workingDirectory'>,
  expand: ExpandPart,
): Promise<ProcessContext> {
  if (redirects.length === 0) return context;
  let stdin: Input = context.stdin;
  const outputs: Record<OutputStream, Write> = {
    stdout: (text) => context.write('stdout', text),
    stderr: (text) => context.write('stderr', text),
  };
  for (const redirect of redirects) {
    if (redirect.kind === 'copy') {
      outputs[redirect.from] = outputs[redirect.of];
      continue;
    }
    const name = await expandToOne(redirect.path, expand);
    const path = resolvePath(state.workingDirectory, name);
    if (redirect.kind === 'read') stdin = path === '/dev/null' ? emptyInput : inputOf(readFile(context, name, path));
    else outputs[redirect.from] = outputTo(context, name, path, redirect.append, outputs);
  }
  return { ...context, stdin, write: (stream, text) => outputs[stream](text) };
}

function readFile(context: ProcessContext, name: string, path: string): string {
  return named(() => context.files.read(path), `can't open ${name}`);
}

function outputTo(
  { files }: ProcessContext,
  name: string,
  path: string,
  append: boolean,
  outputs: Readonly<Record<OutputStream, Write>>,
): Write {
  if (path === '/dev/null') return () => undefined;
  if (path === '/dev/stdout' || path === '/proc/1/fd/1') return outputs.stdout;
  if (path === '/dev/stderr' || path === '/proc/1/fd/2') return outputs.stderr;
  named(() => files.write(path, '', append), `can't create ${name}`);
  return (text) => files.write(path, text, true);
}

/** Error of a redirection; the shell prints the message. */
class RedirectError extends FileError {
  constructor(what: string, cause: FileError) {
    super(cause.code);
    this.message = `${what}: ${cause.message}`;
  }
}

function named<T>(run: () => T, what: string): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof FileError ? new RedirectError(what, error) : error;
  }
}

function inputOf(text: string): Input {
  let rest: string | undefined = text === '' ? undefined : text;
  return {
    read() {
      const piece = rest;
      rest = undefined;
      return Promise.resolve(piece);
    },
  };
}
