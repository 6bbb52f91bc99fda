import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import type { ProcessContext } from '../process/program.ts';
import { resolveProgram } from '../process/resolve-program.ts';
import { createMemoryFiles } from '../fs/memory-files.ts';
import { createPipe, type Pipe } from './pipe.ts';

/** Starts `sh` with a pipe as its input. */
function startShell(): { readonly input: Pipe; readonly output: () => string; readonly exited: Promise<number> } {
  const input = createPipe();
  let output = '';
  const context = {
    env: new Map<string, string>(),
    files: createMemoryFiles({}, []),
    workingDirectory: '/',
    clock: createVirtualClock(),
    signal: new AbortController().signal,
    stdin: input,
    write: (_stream: string, text: string) => (output += text),
    handle: () => undefined,
    isMasked: () => false,
  } as unknown as ProcessContext;
  const program = resolveProgram(['/bin/sh'], (name) => Promise.reject(new Error(name)))!;
  return { input, output: () => output, exited: program(context) };
}

describe('a shell that reads its commands from standard input', () => {
  it('runs each line when it comes, and ends with its input', async () => {
    const { input, output, exited } = startShell();
    input.write('echo -n hello\n');
    await expect.poll(output, { interval: 1 }).toBe('hello');
    input.write('NAME=world; ec');
    input.write('ho $NAME; false\n');
    input.end();
    expect(await exited).toBe(1);
    expect(output()).toBe('helloworld\n');
  });

  it('waits for the end of a command', async () => {
    const { input, output, exited } = startShell();
    input.write('if true; then\necho "one\ntwo"\nfi\nexit 7\necho never\n');
    expect(await exited).toBe(7);
    expect(output()).toBe('one\ntwo\n');
  });

  it('leaves the rest of its input to its commands', async () => {
    const { input, output, exited } = startShell();
    input.write('cat\nnot a command\n');
    input.end();
    expect(await exited).toBe(0);
    expect(output()).toBe('not a command\n');
  });

  it.each(['if true; then', 'echo )\n', 'echo "unterminated'])('ends with 2 at %j', async (script) => {
    const { input, output, exited } = startShell();
    input.write(script);
    input.end();
    expect(await exited).toBe(2);
    expect(output()).toContain('sh: syntax error: ');
  });
});
