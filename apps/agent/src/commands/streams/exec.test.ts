import { describe, expect, it } from 'vitest';
import { attachCommand } from './attach.ts';
import { CommandExitError } from './command-exit-error.ts';
import { execCommand, type ExecOptions } from './exec.ts';
import { createTestConsole, startStreamBench } from './test-support.ts';

const exec = (fields: Partial<ExecOptions>): ExecOptions => ({
  pod: 'web',
  namespace: 'default',
  command: ['true'],
  stdin: false,
  tty: false,
  quiet: false,
  ...fields,
});

describe('rxlet exec', () => {
  it('prints output and errors of the command, and fails with its exit code', async () => {
    await using bench = await startStreamBench();
    const command = ['sh', '-c', 'echo out; echo oops >&2; exit 3'];
    const failure = execCommand(bench.context, exec({ command }));
    await expect(failure).rejects.toEqual(new CommandExitError(3));
    const { console, terminal } = bench.context;
    expect([console.output(), console.errors()]).toEqual(['out\n', 'oops\n']);
    expect(terminal.errors).toEqual(['Defaulted container "main" out of: main, sh']);
  });

  it('passes on its input to the end with -i', async () => {
    await using bench = await startStreamBench();
    bench.context.console.stdin.end('to be copied');
    await execCommand(bench.context, exec({ command: ['cat'], stdin: true, container: 'sh' }));
    expect(bench.context.console.output()).toBe('to be copied');
    expect(bench.context.terminal.errors).toEqual([]);
  });

  it('ends with the command, not with its input', async () => {
    await using bench = await startStreamBench();
    await execCommand(bench.context, exec({ stdin: true, container: 'sh' }));
  });

  it('uses a terminal in raw mode, with its size and each later one', async () => {
    const console = createTestConsole({ isTerminal: true });
    await using bench = await startStreamBench(console);
    const done = execCommand(bench.context, exec({ command: ['cat'], stdin: true, tty: true, container: 'sh' }));
    const sizes = (): unknown => bench.fake.streams().map(({ terminalSize }) => terminalSize);
    await expect.poll(sizes, { interval: 1 }).toEqual([{ width: 80, height: 24 }]);
    console.resize({ width: 100, height: 30 });
    await expect.poll(sizes, { interval: 1 }).toEqual([{ width: 100, height: 30 }]);
    console.stdin.end('x');
    await done;
    expect(console.rawModes).toEqual([true, false]);
    // The terminal echoes what cat then prints.
    expect(console.output()).toBe('xx');
  });

  it('does without a terminal when the input is none', async () => {
    await using bench = await startStreamBench();
    bench.context.console.stdin.end();
    await execCommand(bench.context, exec({ stdin: true, tty: true, container: 'sh' }));
    expect(bench.context.terminal.errors).toEqual([
      'Unable to use a TTY - input is not a terminal or the right kind of file',
    ]);
    expect(bench.context.console.rawModes).toEqual([]);
  });

  it.each<[Partial<ExecOptions>, string]>([
    [{ container: 'nope' }, 'container nope is not valid for pod web-node1 out of: main, sh'],
    [{ command: ['no-such-program'] }, 'executable file not found'],
    [{ command: [] }, 'you must specify at least one command'],
    [{ pod: 'other' }, 'there is no pod "other"'],
  ])('rejects %j: %s', async (fields, message) => {
    await using bench = await startStreamBench();
    await expect(execCommand(bench.context, exec({ quiet: true, ...fields }))).rejects.toThrow(message);
  });

  it('reports the answer of an agent that rejects the stream', async () => {
    await using bench = await startStreamBench();
    const [container] = (await bench.fake.runtime.listContainers({})).containers;
    await bench.fake.runtime.stopContainer({ containerId: container!.id, timeout: 0n });
    const name = container!.metadata!.name;
    await expect(execCommand(bench.context, exec({ container: name }))).rejects.toThrow(
      `unable to upgrade connection: container not found ("${name}")`,
    );
  });

  it('leaves with 130 when it is interrupted', async () => {
    await using bench = await startStreamBench();
    const done = execCommand(bench.context, exec({ command: ['sleep', '1000'], container: 'sh' }));
    await expect.poll(() => bench.fake.streams(), { interval: 1 }).toHaveLength(1);
    bench.context.terminal.interrupt();
    await expect(done).rejects.toMatchObject({ code: 130, message: '' });
  });
});

describe('rxlet attach', () => {
  it('connects to the program of a container, and says that it is recorded', async () => {
    await using bench = await startStreamBench();
    const { console, terminal } = bench.context;
    console.stdin.end('echo attached\n');
    await attachCommand(bench.context, exec({ container: 'sh', stdin: true }));
    expect(console.output()).toBe('attached\n');
    expect(terminal.errors.join(' ')).toMatch(/recorded in the logs of the container.*try pressing enter/);
  });

  it('uses the terminal of a container that has one', async () => {
    const console = createTestConsole({ isTerminal: true });
    await using bench = await startStreamBench(console, { tty: true });
    console.stdin.end('echo attached\n');
    await attachCommand(bench.context, exec({ container: 'sh', stdin: true }));
    expect(console.rawModes).toEqual([true, false]);
    expect(bench.context.terminal.printed).toEqual([
      "Session ended, resume using 'rxlet attach web-node1 -c sh -n default -i -t' command",
    ]);
  });

  it('has no terminal for a container without one', async () => {
    await using bench = await startStreamBench(createTestConsole({ isTerminal: true }));
    bench.context.console.stdin.end();
    await attachCommand(bench.context, exec({ container: 'sh', stdin: true, tty: true }));
    expect(bench.context.terminal.errors[0]).toBe('error: Unable to use a TTY - container sh did not allocate one');
  });
});
