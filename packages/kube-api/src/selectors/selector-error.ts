/** A selector that an API server rejects. The message quotes the faulty part. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}
