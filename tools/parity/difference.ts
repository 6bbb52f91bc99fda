/** A missing value: an absent field, or the end of a list. */
const ABSENT = '(nothing)';
const MAX_DIFFERENCES = 8;
const MAX_VALUE_LENGTH = 200;

/**
 * Returns the differences of two JSON-shaped values, one place a line (`spec.containers[0].image: got "a", want "b"`); empty when they are equal. The order of
 * keys never matters, the order of lists does. A key whose value is undefined counts as absent, and a bigint as a value of its own.
 */
export function differences(got: unknown, want: unknown): string[] {
  const found: string[] = [];
  compare('', got, want, found);
  const more = found.length - MAX_DIFFERENCES;
  return more > 0 ? [...found.slice(0, MAX_DIFFERENCES), `and ${String(more)} more`] : found;
}

function compare(path: string, got: unknown, want: unknown, found: string[]): void {
  if (Array.isArray(got) && Array.isArray(want)) {
    const length = Math.max(got.length, want.length);
    for (let index = 0; index < length; index += 1) {
      compare(`${path}[${String(index)}]`, got[index], want[index], found);
    }
  } else if (isObject(got) && isObject(want)) {
    for (const key of new Set([...Object.keys(want), ...Object.keys(got)])) {
      compare(path === '' ? key : `${path}.${key}`, got[key], want[key], found);
    }
  } else if (!Object.is(got, want)) {
    found.push(`${path === '' ? 'answer' : path}: got ${show(got)}, want ${show(want)}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  if (value === undefined) return ABSENT;
  const text = JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? `${String(item)}n` : item));
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
