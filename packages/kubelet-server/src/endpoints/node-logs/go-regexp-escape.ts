import { RegexpFault } from './go-regexp-fault.ts';
import { isUnicodeClass } from './go-unicode-class.ts';

/** Returns the character at a position, of one or two UTF-16 units; empty at the end. */
export function characterAt(text: string, position: number): string {
  const code = text.codePointAt(position);
  return code === undefined ? '' : String.fromCodePoint(code);
}

/** An escape of a single character. */
export interface Escape {
  readonly code: number;
  readonly end: number;
}

const C_ESCAPES: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const MAX_CODE = 0x10_ff_ff;

/** Reads an escape of a single character. @throws RegexpFault */
export function readEscape(expression: string, start: number): Escape {
  const character = characterAt(expression, start + 1);
  if (character === '') throw new RegexpFault('trailing backslash at end of expression', '');
  const end = start + 1 + character.length;
  const octal = /^(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(expression.slice(start + 1, start + 4))?.[0];
  if (octal !== undefined) return { code: Number.parseInt(octal, 8), end: start + 1 + octal.length };
  if (character === 'x') return readHexadecimal(expression, start);
  if (Object.hasOwn(C_ESCAPES, character)) return { code: C_ESCAPES[character]!, end };
  if (/^[\0-\x7f]$/.test(character) && !/[0-9A-Za-z]/.test(character)) return { code: character.charCodeAt(0), end };
  throw new RegexpFault('invalid escape sequence', expression.slice(start, end));
}

/** Reads `\x7f` or `\x{10ffff}`. The part at fault ends with the first character that does not belong there. */
function readHexadecimal(expression: string, start: number): Escape {
  const fault = (end: number): RegexpFault => new RegexpFault('invalid escape sequence', expression.slice(start, end));
  const first = start + 2;
  if (expression[first] !== '{') {
    const second = first + characterAt(expression, first).length;
    const end = second + characterAt(expression, second).length;
    const digits = expression.slice(first, end);
    if (!/^[0-9A-Fa-f]{2}$/.test(digits)) throw fault(end);
    return { code: Number.parseInt(digits, 16), end };
  }
  let code = 0;
  for (let position = first + 1; position < expression.length;) {
    const character = characterAt(expression, position);
    const after = position + character.length;
    if (character === '}' && position > first + 1) return { code, end: after };
    if (!/^[0-9A-Fa-f]$/.test(character)) throw fault(after);
    code = code * 16 + Number.parseInt(character, 16);
    if (code > MAX_CODE) throw fault(after);
    position = after;
  }
  throw fault(expression.length);
}

/** Reads a class such as `\d` and returns its end; `undefined` when there is none. */
export function readPerlClass(expression: string, start: number): number | undefined {
  return /^\\[dDsSwW]/.test(expression.slice(start, start + 2)) ? start + 2 : undefined;
}

/** Reads a class such as `\pL` or `\P{Greek}` and returns its end; `undefined` when there is none. @throws RegexpFault for an unknown class */
export function readUnicodeClass(expression: string, start: number): number | undefined {
  if (!/^\\[pP]/.test(expression.slice(start, start + 2))) return undefined;
  const first = characterAt(expression, start + 2);
  const isBraced = first === '{';
  const brace = expression.indexOf('}', start);
  if (isBraced && brace < 0) throw new RegexpFault('invalid character class range', expression.slice(start));
  const end = isBraced ? brace + 1 : start + 2 + first.length;
  const name = isBraced ? expression.slice(start + 3, brace) : first;
  if (isUnicodeClass(name.replace(/^\^/, ''))) return end;
  throw new RegexpFault('invalid character class range', expression.slice(start, end));
}
