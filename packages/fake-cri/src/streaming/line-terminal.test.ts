import { expect, it } from 'vitest';
import { createPipe } from '../shell/pipe.ts';
import { createLineTerminal } from './line-terminal.ts';

function open() {
  const keys = createPipe();
  const ended = new AbortController();
  let screen = '';
  let interrupts = 0;
  const terminal = createLineTerminal({
    typed: keys,
    write: (_stream, text) => void (screen += text),
    onInterrupt: () => void (interrupts += 1),
  });
  const done = terminal.run(ended.signal);
  const read = (): Promise<string | undefined> => terminal.input.read(ended.signal);
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  return { keys, terminal, read, settle, done, screen: () => screen, interrupts: () => interrupts };
}

it('echoes and edits a line before a program reads it', async () => {
  const { keys, read, screen } = open();
  keys.write('ecx\u007fho tho\u0017one\u001b[A \u001bOP\ttwo\r');
  expect(await read()).toBe('echo one two\n');
  expect(screen()).toBe('ecx\b \bho tho\b \b\b \b\b \bone two\r\n');
  keys.write('wrong\u0015right\n');
  expect(await read()).toBe('right\n');
});

it('writes line ends as a terminal does', () => {
  const { terminal, screen } = open();
  terminal.write('stdout', 'one\ntwo\r\n');
  expect(screen()).toBe('one\r\ntwo\r\n');
});

it('interrupts at Ctrl-C, and drops what was typed', async () => {
  const { keys, read, interrupts, screen } = open();
  keys.write('ahead\nhalf\u0003next\n');
  expect(await read()).toBe('next\n');
  expect(interrupts()).toBe(1);
  expect(screen()).toBe('ahead\r\nhalf^C\r\nnext\r\n');
});

it('ends the input at Ctrl-D for one read, and for good when the client leaves', async () => {
  const { keys, read, settle, done } = open();
  keys.write('\u0004');
  expect(await read()).toBeUndefined();
  keys.write('half\u0004more\n');
  expect([await read(), await read()]).toEqual(['half', 'more\n']);
  keys.write('rest');
  await settle();
  keys.end();
  await done;
  expect([await read(), await read(), await read()]).toEqual(['rest', undefined, undefined]);
});

it('drops what is typed ahead beyond its limit, with a bell', async () => {
  const { keys, settle, read, screen } = open();
  keys.write('x'.repeat(70_000));
  await settle();
  keys.write('\r');
  expect(await read()).toHaveLength(64 * 1024 + 1);
  expect(screen()).toContain('\u0007');
});
