import { printable } from '../printable.ts';

/** A piece of a line in one style. */
export interface AnsiPiece {
  readonly text: string;
  /** Classes of its style; empty for plain text. */
  readonly classes: string;
}

// Sequences of control characters (ECMA-48): CSI with its parameters and final byte, OSC and other strings up to their end, and two-character ones.
const SEQUENCE =
  /\x1b\[([\d;:]*)([\x20-\x2f]*[\x3c-\x7e])|\x1b[\]PX^_][\s\S]*?(?:\x07|\x1b\\|$)|\x1b[\x20-\x2f]*[\x30-\x7e]/g;
const COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/**
 * Splits a line into pieces by its colors. Every other sequence is dropped: a log can neither move the cursor nor set a title, nor reach the clipboard. Control characters
 * that are left are shown.
 */
export function parseAnsi(line: string): readonly AnsiPiece[] {
  const pieces: AnsiPiece[] = [];
  let classes = '';
  let from = 0;
  const push = (text: string): void => {
    if (text !== '') pieces.push({ text: printable(text), classes });
  };
  for (const match of line.matchAll(SEQUENCE)) {
    push(line.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === 'm') classes = applied(classes, match[1] ?? '');
  }
  push(line.slice(from));
  return pieces;
}

/** Returns the classes after a sequence of style (SGR). Styles without a class are ignored. */
function applied(classes: string, parameters: string): string {
  const style = new Set(classes.split(' ').filter(Boolean));
  const drop = (prefix: string): void => {
    for (const name of style) if (name.startsWith(prefix)) style.delete(name);
  };
  const codes = parameters.split(/[;:]/).map(Number);
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index]!;
    if (code === 0) style.clear();
    else if (code === 1) style.add('ansi-bold');
    else if (code === 2) style.add('ansi-faint');
    else if (code === 3) style.add('ansi-italic');
    else if (code === 4) style.add('ansi-underline');
    else if (code === 22) drop('ansi-bold');
    else if (code === 39) drop('ansi-fg-');
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) {
      drop('ansi-fg-');
      style.add(`ansi-fg-${COLORS[code % 10]!}`);
    } else if (code === 38 || code === 48) index += codes[index + 1] === 5 ? 2 : 4;
  }
  return [...style].join(' ');
}
