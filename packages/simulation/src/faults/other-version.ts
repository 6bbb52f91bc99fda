/** A field that no version of the agent has so far. */
const UNKNOWN = { unknownField: { since: 'a later version', values: [1, 2] } };
const VERSION = /^(?:api|schema|format)?version$/i;

/** Returns the text of a JSON file, or of a file with JSON in its lines, as another version of the agent may write it; `undefined` for other files. */
export function asOtherVersion(text: string, how: 'unknown-fields' | 'other-version'): string | undefined {
  const lines = text.split('\n');
  const changed = (isOneObject(text) ? [text] : lines).map((line) => changedObject(line, how));
  return changed.some((line) => line !== undefined)
    ? changed.map((line, index) => line ?? lines[index]!).join('\n')
    : undefined;
}

function isOneObject(text: string): boolean {
  return parseObject(text) !== undefined;
}

function changedObject(text: string, how: 'unknown-fields' | 'other-version'): string | undefined {
  const object = parseObject(text);
  if (object === undefined) return undefined;
  if (how === 'unknown-fields') return JSON.stringify({ ...object, ...UNKNOWN });
  const name = Object.keys(object).find((key) => VERSION.test(key)) ?? 'version';
  return JSON.stringify({ ...object, [name]: typeof object[name] === 'number' ? object[name] + 1 : 'v99' });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
