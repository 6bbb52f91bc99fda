import { parseClass } from './go-regexp-class.ts';
import { characterAt, readEscape, readPerlClass, readUnicodeClass } from './go-regexp-escape.ts';
import { RegexpFault } from './go-regexp-fault.ts';

const MAX_REPEATS = 1000;
const MAX_DEPTH = 1000;

/**
 * Returns what Go's package regexp objects to in an expression, as its error says it; `undefined` for a valid one. The kubelet checks patterns with it before journalctl
 * reads them as PCRE2, so that look-around and back references are rejected.
 */
export function goRegexpFault(expression: string): string | undefined {
  try {
    checkExpression(expression);
    return undefined;
  } catch (error) {
    if (error instanceof RegexpFault) return `error parsing regexp: ${error.message}`;
    throw error;
  }
}

/** Properties of a part of an expression that are limited. */
interface Part {
  /** Largest number of copies of something in it that repetitions ask for. */
  readonly copies: number;
  readonly depth: number;
}

/** An open group, or the whole expression. */
interface Group {
  readonly isCapturing: boolean;
  /** Limits of the parts before the last one. */
  copies: number;
  depth: number;
  /** The part that a repetition would apply to. */
  last: Part | undefined;
}

const SINGLE: Part = { copies: 1, depth: 1 };

function checkExpression(expression: string): void {
  const groups: Group[] = [newGroup(false)];
  const lastPosixEnd = expression.lastIndexOf(':]');
  let position = 0;
  /** Where the repetition began that ended at `position`. */
  let repetition: number | undefined;

  const top = (): Group => groups.at(-1)!;
  const push = (part: Part, end: number): void => {
    keepLast(top());
    top().last = part;
    position = end;
  };
  const open = (isCapturing: boolean, end: number): void => {
    groups.push(newGroup(isCapturing));
    position = end;
  };
  const close = (): void => {
    const group = groups.pop()!;
    if (groups.length === 0) throw new RegexpFault('unexpected )', expression);
    keepLast(group);
    const depth = group.depth + (group.isCapturing ? 1 : 0);
    if (depth > MAX_DEPTH) throw new RegexpFault('expression nests too deeply', expression);
    push({ copies: group.copies, depth }, position + 1);
  };
  const repeat = (operator: Repetition): void => {
    const start = position;
    const end = expression[operator.end] === '?' ? operator.end + 1 : operator.end;
    if (previous !== undefined) {
      throw new RegexpFault('invalid nested repetition operator', expression.slice(previous, end));
    }
    const text = expression.slice(start, end);
    const { last } = top();
    if (last === undefined) throw new RegexpFault('missing argument to repetition operator', text);
    const copies = operator.most === 0 ? 1 : last.copies * Math.max(1, operator.most ?? operator.least);
    if (operator.isCounted && copies > MAX_REPEATS) throw new RegexpFault('invalid repeat count', text);
    top().last = { copies, depth: last.depth + 1 };
    position = end;
    repetition = start;
  };

  let previous: number | undefined;
  while (position < expression.length) {
    previous = repetition;
    repetition = undefined;
    const character = characterAt(expression, position);
    const operator = readRepetition(expression, position);
    if (operator !== undefined) repeat(operator);
    else if (character === '(') {
      if (expression[position + 1] !== '?') open(true, position + 1);
      else {
        const { end, opens } = readGroupHead(expression, position);
        if (opens === 'nothing') position = end;
        else open(opens === 'capture', end);
      }
    } else if (character === ')') close();
    else if (character === '|') {
      keepLast(top());
      position += 1;
    } else if (character === '[') push(SINGLE, parseClass(expression, position, lastPosixEnd));
    else if (character === '\\') {
      const literal = /^\\Q(.*?)(?:\\E|$)/s.exec(expression.slice(position));
      if (literal === null) push(SINGLE, readBackslash(expression, position));
      else if (literal[1] === '') position += literal[0].length;
      else push(SINGLE, position + literal[0].length);
    } else push(SINGLE, position + character.length);
  }
  if (groups.length > 1) throw new RegexpFault('missing closing )', expression);
}

function newGroup(isCapturing: boolean): Group {
  return { isCapturing, copies: 1, depth: 1, last: undefined };
}

/** Puts the last part of a group out of the reach of a repetition. */
function keepLast(group: Group): void {
  if (group.last === undefined) return;
  group.copies = Math.max(group.copies, group.last.copies);
  group.depth = Math.max(group.depth, group.last.depth);
  group.last = undefined;
}

/** Reads an escape outside of a class, and returns its end. */
function readBackslash(expression: string, start: number): number {
  const next = expression[start + 1];
  if (next !== undefined && 'AbBz'.includes(next)) return start + 2;
  if (next === 'C') throw new RegexpFault('invalid escape sequence', '\\C');
  return readUnicodeClass(expression, start) ?? readPerlClass(expression, start) ?? readEscape(expression, start).end;
}

/** An operator such as `*` or `{2,3}`. */
interface Repetition {
  readonly isCounted: boolean;
  readonly least: number;
  /** Absent: any number. */
  readonly most: number | undefined;
  readonly end: number;
}

const NUMBER = '(?:0|[1-9][0-9]*)';
const COUNTED = new RegExp(`\\{(${NUMBER})(?:(,)(${NUMBER})?)?\\}`, 'y');

function readRepetition(expression: string, start: number): Repetition | undefined {
  const character = expression[start]!;
  if ('*+?'.includes(character)) return { isCounted: false, least: 0, most: undefined, end: start + 1 };
  if (character !== '{') return undefined;
  COUNTED.lastIndex = start;
  // What is no count is a brace.
  const match = COUNTED.exec(expression);
  if (match === null) return undefined;
  const [text, leastText, comma, maxText] = match;
  const least = Number(leastText);
  const most = comma === undefined ? least : maxText === undefined ? undefined : Number(maxText);
  if (Math.max(least, most ?? 0) > MAX_REPEATS || (most !== undefined && least > most)) {
    throw new RegexpFault('invalid repeat count', text);
  }
  return { isCounted: least >= 2 || (most ?? 0) >= 2, least, most, end: start + text.length };
}

interface GroupHead {
  readonly end: number;
  readonly opens: 'capture' | 'group' | 'nothing';
}

/** Reads what begins with `(?`: a name, flags, or both flags and a group. */
function readGroupHead(expression: string, start: number): GroupHead {
  const rest = expression.slice(start);
  const nameStart = rest.length > 4 && rest.startsWith('(?P<') ? 4 : rest.length > 3 && rest.startsWith('(?<') ? 3 : 0;
  if (nameStart > 0) {
    const end = rest.indexOf('>');
    const head = end < 0 ? rest : rest.slice(0, end + 1);
    if (end < 0 || !/^[A-Za-z0-9_]+$/.test(rest.slice(nameStart, end))) {
      throw new RegexpFault('invalid named capture', head);
    }
    return { end: start + head.length, opens: 'capture' };
  }
  const flags = /^\(\?[imsU]*(?:-[imsU]+)?([:)])/.exec(rest);
  if (flags !== null) return { end: start + flags[0].length, opens: flags[1] === ':' ? 'group' : 'nothing' };
  const valid = /^\(\?(?:[imsU]*-[imsU]*|[imsU]*)/.exec(rest)![0];
  const offending = valid.length < rest.length ? characterAt(rest, valid.length) : '';
  throw new RegexpFault('invalid or unsupported Perl syntax', valid + offending);
}
