/** A file of the command line cannot be used; the message names it. */
export class InputFileError extends Error {
  override readonly name = 'InputFileError';
}
