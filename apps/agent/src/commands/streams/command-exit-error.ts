/** The command ended with an exit code that is that of the program, too. */
export class CommandExitError extends Error {
  override readonly name = 'CommandExitError';
  readonly code: number;

  constructor(code: number, message = `command terminated with exit code ${String(code)}`) {
    super(message);
    this.code = code;
  }
}
