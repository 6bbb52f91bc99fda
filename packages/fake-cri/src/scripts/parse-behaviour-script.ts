import { Document, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { type FieldType, SCRIPT_SCHEMA } from './schema.ts';
import type { BehaviourScript } from './script.ts';

/** Longest script in characters, and longest list in it. */
const MAX_SCRIPT_LENGTH = 64 * 1024;
const MAX_ITEMS = 1000;

/** A behaviour script is invalid. The message has the place: `line 3, column 11: exec[0].results: …`. */
export class BehaviourScriptError extends Error {
  override readonly name = 'BehaviourScriptError';
  /** Line in the YAML, from 1; `undefined` for a script that is an object. */
  readonly line: number | undefined;
  /** `attempts[1].exitCode`; empty for the script as a whole. */
  readonly field: string;

  constructor(message: string, field: string, position?: { line: number; col: number }) {
    const place = position === undefined ? '' : `line ${String(position.line)}, column ${String(position.col)}: `;
    super(`${place}${field === '' ? '' : `${field}: `}${message}`);
    this.field = field;
    this.line = position?.line;
  }
}

/** Reads a script from YAML or an object. Throws {@link BehaviourScriptError}. */
export function parseBehaviourScript(source: string | BehaviourScript): BehaviourScript {
  const lines = new LineCounter();
  let document;
  if (typeof source === 'string') {
    if (source.length > MAX_SCRIPT_LENGTH)
      throw new BehaviourScriptError(`is longer than ${String(MAX_SCRIPT_LENGTH)} characters`, '');
    document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) throw new BehaviourScriptError(error.message, '', lines.linePos(error.pos[0]));
  } else {
    document = new Document(source, { aliasDuplicateObjects: false });
  }
  return readValue(document.contents, SCRIPT_SCHEMA, '', lines) as BehaviourScript;
}

function readValue(node: unknown, type: FieldType, field: string, lines: LineCounter): unknown {
  const fail = (message: string, at: unknown = node, name = field): never => {
    const offset = (at as { range?: readonly number[] | null } | null)?.range?.[0];
    throw new BehaviourScriptError(message, name, offset === undefined ? undefined : lines.linePos(offset));
  };

  if (type.kind === 'mapping') {
    if (!isMap(node)) return fail('must be a mapping');
    const values: Record<string, unknown> = {};
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '?';
      const path = field === '' ? name : `${field}.${name}`;
      const fieldType = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
      if (fieldType === undefined) return fail('unknown field', key, path);
      values[name] = readValue(value ?? key, fieldType, path, lines);
    }
    for (const name of type.required) if (!Object.hasOwn(values, name)) fail(`"${name}" is missing`);
    return values;
  }
  if (type.kind === 'list') {
    if (!isSeq(node)) return fail('must be a list');
    if (node.items.length === 0 || node.items.length > MAX_ITEMS) fail(`must have 1 to ${String(MAX_ITEMS)} items`);
    const values = node.items.map((item, index) => readValue(item, type.item, `${field}[${String(index)}]`, lines));
    if (type.ordered === true)
      checkOrder(values, (index) =>
        fail('comes before the one above it', node.items[index], `${field}[${String(index)}]`),
      );
    return values;
  }
  const value: unknown = isScalar(node) ? node.value : undefined;
  if (type.kind === 'number') {
    const { min, max, whole } = type;
    const valid = typeof value === 'number' && value >= min && value <= max && (!whole || Number.isInteger(value));
    return valid ? value : fail(`must be a ${whole ? 'whole number' : 'number'} from ${String(min)} to ${String(max)}`);
  }
  if (type.kind === 'boolean') return typeof value === 'boolean' ? value : fail('must be true or false');
  if (typeof value !== 'string') return fail('must be a string');
  if (type.oneOf !== undefined && !type.oneOf.includes(value)) fail(`must be one of ${type.oneOf.join(', ')}`);
  return value;
}

function checkOrder(values: readonly unknown[], fail: (index: number) => never): void {
  let latest = 0;
  for (const [index, value] of values.entries()) {
    const { afterSeconds = 0 } = value as { afterSeconds?: number };
    if (afterSeconds < latest) fail(index);
    latest = afterSeconds;
  }
}
