import { describe, expect, it } from 'vitest';
import { type CommandLine, parseCommandLine, parseHostPort, runParsed } from './command-line.ts';

/** A command whose parser throws like commander. */
function commandThat(throws?: { readonly exitCode: number; readonly message: string; readonly code?: string }) {
  let write: (text: string) => void = () => undefined;
  const command: CommandLine = {
    allowExcessArguments: () => undefined,
    exitOverride: () => undefined,
    configureOutput: ({ writeOut }) => void (write = writeOut),
    parse(args) {
      if (throws === undefined) return;
      write(`help for ${args.join(' ')}\n`);
      throw Object.assign(new Error(throws.message), { code: 'commander.error', ...throws });
    },
  };
  return command;
}

describe('parseCommandLine', () => {
  it('returns the flags that are read from the command', () => {
    expect(parseCommandLine(commandThat(), [], () => ({ port: 1 }))).toEqual({ kind: 'flags', flags: { port: 1 } });
  });

  it('returns the help that a command prints', () => {
    const parsed = parseCommandLine(commandThat({ exitCode: 0, message: '(outputHelp)' }), ['--help'], () => 0);
    expect(parsed).toEqual({ kind: 'help', text: 'help for --help\n' });
  });

  it('returns an error of the parser, or of what reads the flags, in one line', () => {
    const parsed = parseCommandLine(commandThat({ exitCode: 1, message: 'error: unknown\noption' }), ['-x'], () => 0);
    expect(parsed).toEqual({ kind: 'error', message: 'unknown option' });
    const read = (): never => {
      throw Object.assign(new Error('no port'), { code: 'commander.invalidArgument', exitCode: 1 });
    };
    expect(parseCommandLine(commandThat(), [], read)).toEqual({ kind: 'error', message: 'no port' });
  });

  it('throws any other error', () => {
    const read = (): never => {
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    };
    expect(() => parseCommandLine(commandThat(), [], read)).toThrow('no such file');
  });
});

describe('runParsed', () => {
  const runOnce = async (parsed: Parameters<typeof runParsed<number>>[1]) => {
    const printed = { stdout: '', stderr: '' };
    const io = {
      stdout: (text: string) => void (printed.stdout += text),
      stderr: (text: string) => void (printed.stderr += text),
    };
    return { exitCode: await runParsed('tool', parsed, io, async (flags) => flags), ...printed };
  };

  it('prints help to standard output, and errors with the way to the help to standard error', async () => {
    expect(await runOnce({ kind: 'help', text: 'usage\n' })).toEqual({ exitCode: 0, stdout: 'usage\n', stderr: '' });
    const stderr = 'tool: no port (see tool --help)\n';
    expect(await runOnce({ kind: 'error', message: 'no port' })).toEqual({ exitCode: 2, stdout: '', stderr });
  });

  it('runs the command with its flags', async () => {
    expect(await runOnce({ kind: 'flags', flags: 7 })).toEqual({ exitCode: 7, stdout: '', stderr: '' });
  });
});

describe('parseHostPort', () => {
  it.each([
    ['127.0.0.1:6443', { host: '127.0.0.1', port: 6443 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['[::1]:65535', { host: '::1', port: 65_535 }],
    ['localhost', undefined],
    ['::1:80', undefined],
    [':80', undefined],
    ['localhost:65536', undefined],
    ['localhost:http', undefined],
  ])('returns the parts of %s', (text, parts) => {
    expect(parseHostPort(text)).toEqual(parts);
  });
});
