import { RequestError } from './request-error.ts';

/**
 * A parameter that is on or off. As in the API, its name alone switches it on.
 * @throws RequestError 422 for a value that says neither
 */
export function flag(parameters: URLSearchParams, name: string): boolean {
  const value = parameters.get(name)?.toLowerCase();
  if (value === undefined || value === 'false' || value === '0') return false;
  if (value === '' || value === 'true' || value === '1') return true;
  throw new RequestError(422, `${name} "${value}" is neither true nor false`);
}

/**
 * A parameter that counts something.
 * @throws RequestError 422 for anything but a whole number of at least `least`
 */
export function wholeNumber(parameters: URLSearchParams, name: string, least: number): number | undefined {
  const text = parameters.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least) {
    throw new RequestError(422, `${name} "${text}" is not a whole number of at least ${String(least)}`);
  }
  return value;
}

/**
 * A parameter that is a point in time, as it was written: it may be finer than milliseconds.
 * @throws RequestError 422 for anything but RFC 3339
 */
export function time(parameters: URLSearchParams, name: string): string | undefined {
  const text = parameters.get(name);
  if (text === null) return undefined;
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.test(text);
  if (isTime && !Number.isNaN(Date.parse(text))) return text;
  throw new RequestError(422, `${name} "${text}" is not an RFC 3339 time`);
}
