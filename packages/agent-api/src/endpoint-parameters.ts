import { EndpointError } from './endpoint-error.ts';

/**
 * Reads a boolean parameter. As in the API, its name alone switches it on.
 *
 * @throws EndpointError 422 for any other value
 */
export function flagParameter(parameters: URLSearchParams, name: string): boolean {
  const value = parameters.get(name)?.toLowerCase();
  if (value === undefined || value === 'false' || value === '0') return false;
  if (value === '' || value === 'true' || value === '1') return true;
  throw new EndpointError(422, `${name} "${value}" is neither true nor false`);
}

/**
 * Reads a parameter that is a count.
 *
 * @throws EndpointError 422 for anything but a whole number of at least `least`
 */
export function countParameter(parameters: URLSearchParams, name: string, least: number): number | undefined {
  const text = parameters.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least) {
    throw new EndpointError(422, `${name} "${text}" is not a whole number of at least ${String(least)}`);
  }
  return value;
}

/**
 * Reads a parameter that is a point in time. Returns its text, which may be finer than milliseconds.
 *
 * @throws EndpointError 422 for anything but RFC 3339
 */
export function timeParameter(parameters: URLSearchParams, name: string): string | undefined {
  const text = parameters.get(name);
  if (text === null) return undefined;
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.test(text);
  if (isTime && !Number.isNaN(Date.parse(text))) return text;
  throw new EndpointError(422, `${name} "${text}" is not an RFC 3339 time`);
}
