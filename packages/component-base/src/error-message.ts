/** Number of errors of an `AggregateError` that its text names; the rest is counted. */
const MAX_NAMED_ERRORS = 5;
/** Depth of nested errors that a text follows. */
const MAX_DEPTH = 8;
/** Classes whose message leaves out the cause, such as Node's `TypeError: fetch failed`. */
const BUILT_IN_CLASSES = new Set([
  'AbortError',
  'AggregateError',
  'DOMException',
  'Error',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
]);

/**
 * Returns one line of text for anything that was thrown: the error's message, and what a plain message hides.
 *
 * - The errors of an `AggregateError` and the cause of a built-in error (`Error`, `TypeError`, …) follow the message unless it contains them.
 * - Of a `SuppressedError`, the original failure comes first, then the failure of the clean-up.
 * - Other error classes word their cause themselves, so only their message is used.
 *
 * It never throws.
 */
export function errorMessage(error: unknown): string {
  try {
    return describe(error, 0);
  } catch {
    return 'unprintable error';
  }
}

function describe(error: unknown, depth: number): string {
  if (!isErrorLike(error)) return describeOther(error);
  if (depth === MAX_DEPTH) return error.message;
  const nested = (inner: unknown): string => describe(inner, depth + 1);

  if (isSuppressedError(error)) {
    return `${nested(error.suppressed)}; clean-up failed: ${nested(error.error)}`;
  }
  if (isAggregateError(error) && error.errors.length > 0)
    return append(error.message, listing(error.errors.map(nested)));
  const own = error.message || error.code || error.name || 'unknown error';
  return error.cause !== undefined && isBuiltIn(error) ? append(own, nested(error.cause)) : own;
}

/** A thrown value that is an error, also one of another realm. */
interface ErrorLike {
  readonly message: string;
  readonly name?: string;
  readonly code?: string;
  readonly cause?: unknown;
}

function isErrorLike(value: unknown): value is ErrorLike {
  return typeof value === 'object' && value !== null && typeof (value as ErrorLike).message === 'string';
}

function isSuppressedError(error: ErrorLike): error is ErrorLike & SuppressedError {
  return error.name === 'SuppressedError' && 'error' in error && 'suppressed' in error;
}

function isAggregateError(error: ErrorLike): error is ErrorLike & { readonly errors: readonly unknown[] } {
  return error.name === 'AggregateError' && Array.isArray((error as { errors?: unknown }).errors);
}

function isBuiltIn(error: ErrorLike): boolean {
  const prototype: unknown = Object.getPrototypeOf(error);
  return BUILT_IN_CLASSES.has((prototype as { constructor?: { name?: string } } | null)?.constructor?.name ?? '');
}

function append(text: string, detail: string): string {
  if (text === '' || detail === '') return text || detail;
  return text.includes(detail) ? text : `${text}: ${detail}`;
}

function listing(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  const hidden = distinct.length - MAX_NAMED_ERRORS;
  const named = distinct.slice(0, MAX_NAMED_ERRORS).join('; ');
  return hidden > 0 ? `${named}; and ${String(hidden)} more` : named;
}

function describeOther(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return JSON.stringify(value) ?? Object.prototype.toString.call(value);
}
