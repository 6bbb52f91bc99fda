import { UsageError } from '../config/config-error.ts';

/** A JSONPath template of kubectl: text, and expressions in braces. */
export interface JsonPath {
  /** Returns the text of the template for an object. @throws JsonPathError when it does not fit the object */
  format(object: unknown): string;
  /** Returns the values of all expressions. @throws JsonPathError when it does not fit the object */
  find(object: unknown): unknown[];
}

/** A template that does not fit the object, in kubectl's words. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

/** A part of an expression: maps the values so far to the next ones. `root` is the object of the enclosing `range`. */
type Step = (values: readonly unknown[], root: unknown) => unknown[];

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'expression'; readonly steps: readonly Step[] }
  | { readonly kind: 'range'; readonly steps: readonly Step[]; readonly body: readonly Part[] };

type Token = { readonly kind: 'range' | 'expression'; readonly steps: readonly Step[] } | { readonly kind: 'end' };

/** Names of fields end here, unless a backslash precedes. */
const TERMINATORS = new Set([...' \t\r\n.,[]$@{}()=!<>"\'']);
const COMPARISONS = ['==', '!=', '<=', '>=', '<', '>'] as const;
type Comparison = (typeof COMPARISONS)[number];
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/**
 * Parses a template in kubectl's dialect of JSONPath: `{.items[*].metadata.name}`, `{range …}{end}`, `{"\n"}`, filters `[?(@.a=="b")]`, unions,
 * slices, `..name`, `*`. Missing fields are no errors.
 * @throws UsageError when it is malformed
 */
export function parseJsonPath(template: string): JsonPath {
  const parts = parseParts(template);
  return {
    format: (object) => formatParts(parts, object).join(''),
    find: (object) => findInParts(parts, object),
  };
}

/** Parses a path that may lack its braces and its first dot, as those of `--sort-by` and `custom-columns` do. @throws UsageError */
export function parseFieldPath(path: string): JsonPath {
  if (path.trim() === '') throw new UsageError('a path of a field is empty: expected one like .metadata.name');
  const inner = /^\{(.*)\}$/s.exec(path.trim())?.[1] ?? path.trim();
  if (/[{}]/.test(inner)) throw new UsageError(`unexpected path string "${path}": expected one like .metadata.name`);
  return parseJsonPath(`{${/^[.[$@]/.test(inner) ? inner : `.${inner}`}}`);
}

/** Returns a value as kubectl prints it: text as it is, objects and lists as JSON with sorted keys. */
export function printedValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(sortedKeys(value));
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortedKeys(inner)]));
}

function formatParts(parts: readonly Part[], object: unknown): string[] {
  return parts.flatMap((part) => {
    if (part.kind === 'text') return [part.text];
    const values = evaluate(part.steps, object);
    if (part.kind === 'expression') return [values.map(printedValue).join(' ')];
    return values.flatMap((value) => formatParts(part.body, value));
  });
}

function findInParts(parts: readonly Part[], object: unknown): unknown[] {
  return parts.flatMap((part) => {
    if (part.kind === 'text') return [part.text];
    const values = evaluate(part.steps, object);
    return part.kind === 'expression' ? values : values.flatMap((value) => findInParts(part.body, value));
  });
}

function evaluate(steps: readonly Step[], object: unknown): unknown[] {
  return steps.reduce<unknown[]>((values, step) => step(values, object), [object]);
}

function parseParts(template: string): readonly Part[] {
  const blocks: { steps: readonly Step[]; body: Part[] }[] = [];
  const top: Part[] = [];
  const current = (): Part[] => blocks.at(-1)?.body ?? top;
  const endBlock = (): void => {
    const { steps, body } = blocks.pop()!;
    current().push({ kind: 'range', steps, body });
  };
  let at = 0;
  while (at < template.length) {
    const brace = template.indexOf('{', at);
    const text = template.slice(at, brace < 0 ? undefined : brace);
    if (text !== '') current().push({ kind: 'text', text });
    if (brace < 0) break;
    const reader = createReader(template, brace + 1);
    const token = readAction(reader);
    at = reader.position();
    if (token.kind === 'range') blocks.push({ steps: token.steps, body: [] });
    else if (token.kind === 'expression') current().push(token as Part);
    else if (blocks.length === 0) throw malformed(template, 'not in range, nothing to end');
    else endBlock();
  }
  // As in kubectl, the end of the template ends what is open.
  while (blocks.length > 0) endBlock();
  return top;
}

/** A position in a template. */
interface Reader {
  readonly template: string;
  position(): number;
  peek(length?: number): string;
  take(length?: number): string;
  skipSpace(): void;
}

function createReader(template: string, start: number): Reader {
  let at = start;
  return {
    template,
    position: () => at,
    peek: (length = 1) => template.slice(at, at + length),
    take(length = 1) {
      if (at + length > template.length) throw malformed(template, 'unclosed action');
      at += length;
      return template.slice(at - length, at);
    },
    skipSpace() {
      while (/\s/.test(template[at] ?? '')) at += 1;
    },
  };
}

/** Reads an action up to its closing brace. */
function readAction(reader: Reader): Token {
  const steps: Step[] = [];
  let kind: Token['kind'] = 'expression';
  for (;;) {
    reader.skipSpace();
    const next = reader.peek();
    if (next === '}') {
      reader.take();
      return kind === 'end' ? { kind } : { kind, steps };
    }
    if (/[a-z]/i.test(next)) {
      const word = readName(reader);
      if (word === 'range' || word === 'end') kind = word;
      else if (word === 'true' || word === 'false') steps.push(constant(word === 'true'));
      else throw malformed(reader.template, `unrecognized identifier ${word}`);
    } else steps.push(...readSteps(reader));
  }
}

/** Reads the parts of one path, or one literal. */
function readSteps(reader: Reader): Step[] {
  const next = reader.peek();
  if (next === '$' || next === '@') {
    reader.take();
    return [];
  }
  if (reader.peek(2) === '..') {
    reader.take(2);
    // The name after the dots is a step of its own: ..name and ..[0].
    return [descendants, ...(TERMINATORS.has(reader.peek()) ? [] : [readField(reader)])];
  }
  if (next === '.') {
    reader.take();
    return TERMINATORS.has(reader.peek()) ? [] : [readField(reader)];
  }
  if (next === '[') return [readBrackets(reader)];
  if (next === '"' || next === "'") return [constant(readQuoted(reader))];
  const number = /^[-+]?\d+(\.\d+)?/.exec(reader.peek(32))?.[0];
  if (number !== undefined) return [constant(Number(reader.take(number.length)))];
  if (next === '') throw malformed(reader.template, 'unclosed action');
  throw malformed(reader.template, `unrecognized character in action: ${next}`);
}

function readField(reader: Reader): Step {
  const name = readName(reader);
  return name === '*' ? wildcard : field(name);
}

function readName(reader: Reader): string {
  let name = '';
  while (reader.peek() !== '' && !TERMINATORS.has(reader.peek())) {
    if (reader.peek() === '\\') reader.take();
    name += reader.take();
  }
  return name;
}

function readQuoted(reader: Reader): string {
  const quote = reader.take();
  let text = '';
  for (;;) {
    const character = reader.take();
    if (character === quote) return text;
    if (character !== '\\') text += character;
    else {
      const escaped = reader.take();
      text += ESCAPES[escaped] ?? (escaped === quote || escaped === '\\' ? escaped : `\\${escaped}`);
    }
  }
}

/** Reads `[…]`: a filter, names, indices or slices. */
function readBrackets(reader: Reader): Step {
  reader.take();
  if (reader.peek(2) === '?(') return readFilter(reader);
  const choices: Step[] = [];
  for (;;) {
    reader.skipSpace();
    choices.push(readChoice(reader));
    reader.skipSpace();
    const separator = reader.take();
    if (separator === ']') break;
    if (separator !== ',') throw malformed(reader.template, 'unterminated array');
  }
  return (values, root) => choices.flatMap((choice) => choice(values, root));
}

function readChoice(reader: Reader): Step {
  if (reader.peek() === "'" || reader.peek() === '"') {
    // In quotes, too, a dot leads to a field of the field, unless it follows a backslash.
    const path = createReader(`.${readQuoted(reader)}`, 0);
    const steps: Step[] = [];
    while (path.peek() !== '') steps.push(...readSteps(path));
    return (values, root) => steps.reduce<unknown[]>((found, step) => step(found, root), [...values]);
  }
  let text = '';
  while (!['', ',', ']'].includes(reader.peek())) text += reader.take();
  text = text.trim();
  if (text === '*') return wildcard;
  const numbers = /^(-?\d+)?(?::(-?\d+)?(?::(\d+)?)?)?$/.exec(text);
  if (text === '' || numbers === null) throw malformed(reader.template, `invalid array index ${text}`);
  if (!text.includes(':')) return elementAt(Number(text));
  const [start, end, step] = numbers.slice(1).map((number) => (number === undefined ? undefined : Number(number)));
  if (step === 0) throw malformed(reader.template, 'step must be > 0');
  return slice(start, end, step);
}

function readFilter(reader: Reader): Step {
  reader.take(2);
  const left = readOperand(reader);
  const operator = COMPARISONS.find((each) => reader.peek(each.length) === each);
  if (operator === undefined) {
    closeFilter(reader);
    return filter((value) => left([value], value).length > 0);
  }
  reader.take(operator.length);
  const right = readOperand(reader);
  closeFilter(reader);
  return filter((value) => {
    const [a, b] = [left([value], value), right([value], value)];
    if (a.length === 0 || b.length === 0) return false;
    if (a.length > 1 || b.length > 1) throw new JsonPathError('can only compare one element at a time');
    return compare(a[0], operator, b[0]);
  });
}

function closeFilter(reader: Reader): void {
  reader.skipSpace();
  if (reader.peek(2) !== ')]')
    throw malformed(reader.template, `unrecognized character in action: ${reader.peek() || 'end of the template'}`);
  reader.take(2);
}

/** Reads one side of a comparison: a path of `@`, or a literal. */
function readOperand(reader: Reader): Step {
  const steps: Step[] = [];
  reader.skipSpace();
  while (!['', ')', '=', '!', '<', '>', ' ', '&', '|', '~'].includes(reader.peek())) {
    const word = /^(?:true|false)\b/.exec(reader.peek(5))?.[0];
    if (word === undefined) steps.push(...readSteps(reader));
    else steps.push(constant(reader.take(word.length) === 'true'));
  }
  reader.skipSpace();
  if (steps.length === 0 && reader.peek() !== ')' && reader.peek() !== '')
    throw malformed(reader.template, `unrecognized character in action: ${reader.peek()}`);
  return (values, root) => steps.reduce<unknown[]>((found, step) => step(found, root), [...values]);
}

function constant(value: unknown): Step {
  return () => [value];
}

function field(name: string): Step {
  return (values) =>
    values.flatMap((value) =>
      isMap(value) && Object.hasOwn(value, name) && value[name] !== undefined ? [value[name]] : [],
    );
}

const wildcard: Step = (values) => values.flatMap(childrenOf);

const descendants: Step = (values) => {
  const all = (value: unknown): unknown[] => [value, ...childrenOf(value).flatMap(all)];
  return values.flatMap(all);
};

function elementAt(index: number): Step {
  return (values) =>
    values.flatMap((value) => {
      const list = asList(value);
      if (list === undefined) return [];
      const place = index < 0 ? index + list.length : index;
      if (place < 0 || place >= list.length)
        throw new JsonPathError(`array index out of bounds: index ${String(place)}, length ${String(list.length)}`);
      return [list[place]];
    });
}

function slice(start = 0, end: number | undefined, step = 1): Step {
  return (values) =>
    values.flatMap((value) => (asList(value) ?? []).slice(start, end).filter((_, place) => place % step === 0));
}

function filter(matches: (value: unknown) => boolean): Step {
  return (values) => values.flatMap((value) => (asList(value) ?? []).filter(matches));
}

/** A list, or nothing for a null; kubectl rejects an index of anything else. */
function asList(value: unknown): readonly unknown[] | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value as readonly unknown[];
  throw new JsonPathError(`${printedValue(value)} is not array or slice`);
}

function compare(left: unknown, operator: Comparison, right: unknown): boolean {
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  if (typeof left !== typeof right || (typeof left !== 'number' && typeof left !== 'string'))
    throw new JsonPathError('incompatible types for comparison');
  const [a, b] = [left, right as typeof left];
  switch (operator) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
  }
}

function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  return isMap(value) ? Object.values(value) : [];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(template: string, problem: string): UsageError {
  return new UsageError(`error parsing jsonpath ${template}: ${problem}`);
}
