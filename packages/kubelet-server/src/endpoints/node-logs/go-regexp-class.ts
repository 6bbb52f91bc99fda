import { characterAt, readEscape, readPerlClass, readUnicodeClass } from './go-regexp-escape.ts';
import { RegexpFault } from './go-regexp-fault.ts';

const POSIX_CLASS =
  /^\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]$/;

/** Parses a class in brackets and returns its end. `lastPosixEnd` is the place of the last `:]` of the expression. @throws RegexpFault */
export function parseClass(expression: string, start: number, lastPosixEnd: number): number {
  let position = start + (expression[start + 1] === '^' ? 2 : 1);
  const character = (): number => {
    if (position >= expression.length) throw new RegexpFault('missing closing ]', expression.slice(start));
    const text = characterAt(expression, position);
    const { code, end } =
      text === '\\' ? readEscape(expression, position) : { code: text.codePointAt(0)!, end: position + text.length };
    position = end;
    return code;
  };
  // A bracket in the first place is a character.
  for (let isFirst = true; isFirst || expression[position] !== ']'; isFirst = false) {
    const end =
      (position + 2 > lastPosixEnd ? undefined : readPosixClass(expression, position)) ??
      readUnicodeClass(expression, position) ??
      readPerlClass(expression, position);
    if (end !== undefined) {
      position = end;
      continue;
    }
    const begin = position;
    const low = character();
    // A hyphen in the last place is a character.
    if (expression[position] !== '-' || position + 1 >= expression.length || expression[position + 1] === ']') continue;
    position += 1;
    if (character() < low) {
      throw new RegexpFault('invalid character class range', expression.slice(begin, position));
    }
  }
  return position + 1;
}

/** Reads a class such as `[:alpha:]` and returns its end; `undefined` when there is none. @throws RegexpFault for an unknown class */
function readPosixClass(expression: string, start: number): number | undefined {
  if (!expression.startsWith('[:', start)) return undefined;
  const close = expression.indexOf(':]', start + 2);
  if (close < 0) return undefined;
  const text = expression.slice(start, close + 2);
  if (POSIX_CLASS.test(text)) return close + 2;
  throw new RegexpFault('invalid character class range', text);
}
