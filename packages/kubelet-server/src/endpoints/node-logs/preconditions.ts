import type { EndpointRequest } from '@rxlet/agent-api/http';

type Headers = EndpointRequest['headers'];

/** Whether a request is answered with content. */
export type Precondition = 'proceed' | 'not modified' | 'failed';

/**
 * Evaluates the preconditions of a request for a file as Go's file server: files have a time of modification, and no entity tag that one of the request could match.
 * `modifiedMs` 0: the time is not known.
 */
export function checkPreconditions(headers: Headers, modifiedMs: number): Precondition {
  const ifMatch = textOf(headers['if-match']);
  if (
    ifMatch === undefined ? isModifiedSince(headers['if-unmodified-since'], modifiedMs) === true : !hasStar(ifMatch)
  ) {
    return 'failed';
  }
  const ifNoneMatch = textOf(headers['if-none-match']);
  const isKnown = ifNoneMatch === undefined ? isUnmodified(headers, modifiedMs) : hasStar(ifNoneMatch);
  return isKnown ? 'not modified' : 'proceed';
}

/** Reports whether the client has the present version, by its header `If-Modified-Since`. */
export function isUnmodified(headers: Headers, modifiedMs: number): boolean {
  return isModifiedSince(headers['if-modified-since'], modifiedMs) === false;
}

/** Reports whether the header `Range` counts: not when `If-Range` has another version. */
export function isRangeValid(headers: Headers, modifiedMs: number): boolean {
  const condition = textOf(headers['if-range']);
  return condition === undefined || parseHttpDate(condition) === wholeSeconds(modifiedMs);
}

/** Returns the header `Last-Modified` of a time; none when it is not known. */
export function lastModified(modifiedMs: number): Readonly<Record<string, string>> {
  return modifiedMs === 0 ? {} : { 'last-modified': new Date(wholeSeconds(modifiedMs)).toUTCString() };
}

/** Returns `undefined` when there is nothing to compare. */
function isModifiedSince(header: Headers[string], modifiedMs: number): boolean | undefined {
  const timeMs = parseHttpDate(textOf(header));
  return Number.isNaN(timeMs) || modifiedMs === 0 ? undefined : wholeSeconds(modifiedMs) > timeMs;
}

/** Parses a time in the form that clients send; NaN for another text. */
function parseHttpDate(text: string | undefined): number {
  return /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/.test(text ?? '') ? Date.parse(text!) : Number.NaN;
}

/** Headers have whole seconds. */
function wholeSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1000) * 1000;
}

/** Reports whether a list of entity tags has `*`, before anything that is no tag. */
function hasStar(list: string): boolean {
  return /^(?:[\s,]|(?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*")*\*/.test(list);
}

function textOf(header: Headers[string]): string | undefined {
  const text = typeof header === 'string' ? header : header?.[0];
  return text === '' ? undefined : text;
}
