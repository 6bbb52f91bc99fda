import { abortable } from '@rxlet/component-base';
import type { OutputStream } from '../logs/log-line.ts';
import type { Input } from '../process/program.ts';

/** Maximum length of what is typed ahead; the rest is dropped with a bell. */
const MAX_TYPED = 64 * 1024;
const BELL = '\u0007';
const ERASE = '\b \b';

/** A terminal between a client and a program: it echoes and edits lines, and writes line ends as `\r\n`. */
export interface LineTerminal {
  /** Input of the program: whole lines. An end that was typed ends one read, not those after it. */
  readonly input: Input;
  write(stream: OutputStream, text: string): void;
  /** Passes on what the client types, until it leaves or `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Ports of {@link createLineTerminal}. */
export interface LineTerminalPorts {
  /** Keys of the client. */
  readonly typed: Input;
  /** Screen of the client. */
  readonly write: (stream: OutputStream, text: string) => void;
  /** Called for Ctrl-C. */
  readonly onInterrupt: () => void;
}

/**
 * Creates a {@link LineTerminal}. Backspace erases a character, Ctrl-W a word, Ctrl-U the line; Ctrl-C interrupts; Ctrl-D ends the input at the beginning of a line.
 * Other keys, such as the arrows, are ignored.
 */
export function createLineTerminal({ typed, write: show, onInterrupt }: LineTerminalPorts): LineTerminal {
  const lines: (string | undefined)[] = [];
  let line = '';
  let escape = '';
  let hasLeft = false;
  let notify: (() => void) | undefined;

  const write = (stream: OutputStream, text: string): void => show(stream, text.replace(/\r?\n/g, '\r\n'));
  const echo = (text: string): void => show('stdout', text);
  const deliver = (text: string | undefined): void => {
    lines.push(text);
    line = '';
    notify?.();
  };
  const erase = (count: number): void => {
    const characters = [...line];
    line = characters.slice(0, characters.length - count).join('');
    echo(ERASE.repeat(Math.min(count, characters.length)));
  };
  const isFull = (): boolean => lines.reduce((sum, text) => sum + (text?.length ?? 1), line.length) >= MAX_TYPED;

  const type = (character: string): void => {
    if (escape !== '' || character === '\u001b') {
      escape += character;
      // Ends with a letter: the key is not one that a line has.
      if (/^\u001b(?:\[[0-9;]*[A-Za-z~]|O.|[^[O])$/u.test(escape) || escape.length > 16) escape = '';
      return;
    }
    switch (character) {
      case '\r':
      case '\n':
        echo('\r\n');
        deliver(`${line}\n`);
        return;
      case '\u0003':
        echo('^C\r\n');
        line = '';
        lines.length = 0;
        onInterrupt();
        return;
      case '\u0004':
        deliver(line === '' ? undefined : line);
        return;
      case '\u007f':
      case '\b':
        erase(1);
        return;
      case '\u0015':
        erase(Infinity);
        return;
      case '\u0017':
        erase(/\S*\s*$/.exec(line)?.[0].length ?? 0);
        return;
    }
    if (/\p{Cc}/u.test(character)) return;
    if (isFull()) {
      echo(BELL);
      return;
    }
    line += character;
    echo(character);
  };

  return {
    write,
    input: {
      async read(signal) {
        while (lines.length === 0) {
          signal.throwIfAborted();
          if (hasLeft) return undefined;
          const { promise, resolve } = Promise.withResolvers<void>();
          notify = resolve;
          await abortable(promise, signal);
        }
        return lines.shift();
      },
    },
    async run(signal) {
      try {
        for (let text = await typed.read(signal); text !== undefined; text = await typed.read(signal))
          for (const character of text) type(character);
      } finally {
        if (line !== '') deliver(line);
        hasLeft = true;
        notify?.();
      }
    },
  };
}
